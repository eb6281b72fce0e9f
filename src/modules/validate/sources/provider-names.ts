/** Names of mailbox providers that the lists of packages lack, hold in error, or do not tell apart. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Consumer mailboxes, and those that access providers give their subscribers. */
export const MORE_FREE_PROVIDERS: readonly string[] = [
  // Chile
  ...words('vtr.net entelchile.net 123.cl 123mail.cl mi.cl tie.cl terra.cl chilesat.net ctcinternet.cl ctcreuna.cl manquehue.net'),
  ...words('gtdmail.com surnet.cl hotmail.cl live.cl outlook.cl yahoo.cl'),
  // Brazil
  ...words('uol.com.br bol.com.br terra.com.br ig.com.br superig.com.br ibest.com.br globo.com globomail.com r7.com oi.com.br pop.com.br'),
  ...words('zipmail.com.br click21.com.br brturbo.com.br veloxmail.com.br itelefonica.com.br yahoo.com.br hotmail.com.br outlook.com.br'),
  // Colombia
  ...words('une.net.co epm.net.co etb.net.co emcali.net.co cable.net.co tutopia.com uol.com.co yahoo.com.co latinmail.com'),
  // Their neighbours
  ...words('arnet.com.ar ciudad.com.ar fibertel.com.ar speedy.com.ar terra.com.ar uol.com.ar hotmail.com.ar live.com.ar outlook.com.ar'),
  ...words('yahoo.com.ar prodigy.net.mx hotmail.com.mx live.com.mx yahoo.com.mx outlook.com.pe terra.com.pe yahoo.com.pe speedy.com.pe'),
  ...words('cantv.net yahoo.com.ve adinet.com.uy montevideo.com.uy'),
  // The world
  ...words('duck.com email.com fastmail.com googlemail.com hotmail.es outlook.es yahoo.es pm.me protonmail.ch rocketmail.com'),
  ...words('telefonica.net tuta.com tuta.io tutamail.com tutanota.com tutanota.de ymail.com'),
];

/** On the list of common providers, but something else. */
export const NOT_FREE_PROVIDERS: readonly string[] = [
  // Companies and schools
  ...words('alibaba.com about.com ancestry.com discovery.com dnsmadeeasy.com facebook.com islamonline.net looksmart.com medscape.com'),
  ...words('name.com nus.edu.sg oath.com singpost.com techspot.com unican.es'),
  // Place holders
  ...words('example.com mydomain.com test.com test.de www.com yourdomain.com'),
  // Suffixes that others register under
  ...words('cu.cc ddnsfree.com dynu.net f5.si fr.nf msk.ru pe.hu pp.ua spb.ru web.id za.com zp.ua'),
  // Throwaway
  ...words('10minutemail.com 21cn.com anonymize.com bugmenot.com chacuo.net emailondeck.com guerrillamail.com mail-tester.com'),
  ...words('mailinator.com privacy.net sify.com temp-mail.org yopmail.com'),
];

/** Companies that a list of throwaway providers holds in error. */
export const NOT_DISPOSABLE: readonly string[] = ['cabify.cl'];

/** Brands whose mailboxes are under many countries' suffixes. */
export const BRANDS: readonly string[] = words('gmx hotmail live msn outlook yahoo ymail');

/** What people mean when they mistype, the most used first. */
export const TYPED_OFTEN: readonly string[] = [
  ...words('gmail.com hotmail.com outlook.com yahoo.com live.com icloud.com msn.com hotmail.es outlook.es yahoo.es hotmail.cl yahoo.cl'),
  ...words('live.cl outlook.cl vtr.net entelchile.net yahoo.com.br hotmail.com.br outlook.com.br uol.com.br bol.com.br terra.com.br'),
  ...words('ig.com.br globo.com une.net.co yahoo.com.ar yahoo.com.mx hotmail.com.ar live.com.mx prodigy.net.mx protonmail.com'),
  ...words('googlemail.com rocketmail.com fastmail.com aol.com comcast.net'),
];

/** Look-alikes that have mail servers, and are hardly ever meant. */
export const SQUATS: readonly string[] = [
  ...words('gmail.co gmail.cm gmail.om gmai.com gmal.com gmali.com gmaul.com gmaill.com gmial.com gmil.com gmsil.com gamil.com'),
  ...words('ggmail.com gimal.com gnail.com'),
  ...words('hotmail.co hotmail.cm hotmail.om hotmai.com hotmal.com hotmaill.com hotmali.com hotmial.com hotmil.com hotnail.com'),
  ...words('hormail.com homail.com htomail.com'),
  ...words('outlook.co outlook.cm outlok.com outloo.com outllok.com outloook.com'),
  ...words('yahoo.co yahoo.cm yahoo.om yaho.com yahho.com yahooo.com yajoo.com'),
  ...words('icloud.co icloud.cm iclod.com icoud.com'),
];
