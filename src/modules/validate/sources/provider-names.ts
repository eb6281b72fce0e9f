/** Corrections to the provider lists of npm packages: domains that are missing, wrong, or of another kind. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Providers of consumer mailboxes, including internet access providers. */
export const MORE_FREE_PROVIDERS: readonly string[] = [
  // Chile
  ...words('vtr.net entelchile.net 123.cl 123mail.cl mi.cl tie.cl terra.cl chilesat.net ctcinternet.cl ctcreuna.cl manquehue.net'),
  ...words('gtdmail.com surnet.cl hotmail.cl live.cl outlook.cl yahoo.cl'),
  // Brazil
  ...words('uol.com.br bol.com.br terra.com.br ig.com.br superig.com.br ibest.com.br globo.com globomail.com r7.com oi.com.br pop.com.br'),
  ...words('zipmail.com.br click21.com.br brturbo.com.br veloxmail.com.br itelefonica.com.br yahoo.com.br hotmail.com.br outlook.com.br'),
  // Colombia
  ...words('une.net.co epm.net.co etb.net.co emcali.net.co cable.net.co tutopia.com uol.com.co yahoo.com.co latinmail.com'),
  // Neighbouring countries
  ...words('arnet.com.ar ciudad.com.ar fibertel.com.ar speedy.com.ar terra.com.ar uol.com.ar hotmail.com.ar live.com.ar outlook.com.ar'),
  ...words('yahoo.com.ar prodigy.net.mx hotmail.com.mx live.com.mx yahoo.com.mx outlook.com.pe terra.com.pe yahoo.com.pe speedy.com.pe'),
  ...words('cantv.net yahoo.com.ve adinet.com.uy montevideo.com.uy'),
  // International
  ...words('duck.com email.com fastmail.com googlemail.com hotmail.es outlook.es yahoo.es pm.me protonmail.ch rocketmail.com'),
  ...words('telefonica.net tuta.com tuta.io tutamail.com tutanota.com tutanota.de ymail.com'),
];

/** Domains on the list of common providers that are not free providers. */
export const NOT_FREE_PROVIDERS: readonly string[] = [
  // Companies and schools
  ...words('alibaba.com about.com ancestry.com discovery.com dnsmadeeasy.com facebook.com islamonline.net looksmart.com medscape.com'),
  ...words('name.com nus.edu.sg oath.com singpost.com techspot.com unican.es'),
  // Placeholders
  ...words('example.com mydomain.com test.com test.de www.com yourdomain.com'),
  // Public suffixes
  ...words('cu.cc ddnsfree.com dynu.net f5.si fr.nf msk.ru pe.hu pp.ua spb.ru web.id za.com zp.ua'),
  // Disposable
  ...words('10minutemail.com 21cn.com anonymize.com bugmenot.com chacuo.net emailondeck.com guerrillamail.com mail-tester.com'),
  ...words('mailinator.com privacy.net sify.com temp-mail.org yopmail.com'),
];

/** Companies that a list of disposable providers contains by mistake. */
export const NOT_DISPOSABLE: readonly string[] = ['cabify.cl'];

/** Brands with mailboxes under the suffixes of many countries. */
export const BRANDS: readonly string[] = words('gmx hotmail live msn outlook yahoo ymail');

/** Domains that typos are corrected to, the most used first. */
export const TYPED_OFTEN: readonly string[] = [
  ...words('gmail.com hotmail.com outlook.com yahoo.com live.com icloud.com msn.com hotmail.es outlook.es yahoo.es hotmail.cl yahoo.cl'),
  ...words('live.cl outlook.cl vtr.net entelchile.net yahoo.com.br hotmail.com.br outlook.com.br uol.com.br bol.com.br terra.com.br'),
  ...words('ig.com.br globo.com une.net.co yahoo.com.ar yahoo.com.mx hotmail.com.ar live.com.mx prodigy.net.mx protonmail.com'),
  ...words('googlemail.com rocketmail.com fastmail.com aol.com comcast.net'),
];

/** Look-alike domains with mail servers of their own; an address there is almost always a typo. */
export const SQUATS: readonly string[] = [
  ...words('gmail.co gmail.cm gmail.om gmai.com gmal.com gmali.com gmaul.com gmaill.com gmial.com gmil.com gmsil.com gamil.com'),
  ...words('ggmail.com gimal.com gnail.com'),
  ...words('hotmail.co hotmail.cm hotmail.om hotmai.com hotmal.com hotmaill.com hotmali.com hotmial.com hotmil.com hotnail.com'),
  ...words('hormail.com homail.com htomail.com'),
  ...words('outlook.co outlook.cm outlok.com outloo.com outllok.com outloook.com'),
  ...words('yahoo.co yahoo.cm yahoo.om yaho.com yahho.com yahooo.com yajoo.com'),
  ...words('icloud.co icloud.cm iclod.com icoud.com'),
];
