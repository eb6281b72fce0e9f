import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../src/sources/domains/page-document.ts';

const lines = (html: string) => readDocument(html).lines.map(({ text, inFooter }) => (inFooter ? `[${text}]` : text));

describe('a page', () => {
  it('is read into visible lines', () => {
    expect(lines('<h1>Hola</h1> <p>uno <b>dos</b><br/>tres</p><ul><li>a<li>b</ul>fin')).toEqual([
      'Hola',
      'uno dos',
      'tres',
      'a',
      'b',
      'fin',
    ]);
  });

  it('has its character references decoded and its blanks normalised', () => {
    expect(lines('<p>Ñu&ntilde;oa &amp; Cía.&nbsp;&lt;b&gt;\n\t&#8211;&#x2014; ﬁn</p><p>&copy; &no; & x</p>')).toEqual([
      'Ñuñoa & Cía. <b> -- fin',
      '© &no; & x',
    ]);
  });

  it.each([
    ['comments', 'a<!-- <p>no</p> -->b', ['ab']],
    ['scripts, with tags in them', 'a<script>if (1 < 2) "<p>no</p>"</script>b', ['ab']],
    ['scripts in capitals', 'a<SCRIPT>no</SCRIPT>b', ['ab']],
    ['a script that never ends', 'a<script>no', ['a']],
    ['a comment that never ends', 'a<!-- no', ['a']],
    ['a tag that is cut', 'a<p class="x', ['a']],
    ['declarations', '<!doctype html><?xml no?>a', ['a']],
    ['a script whose end is cut', 'a<script>no</script', ['a']],
  ])('is read without %s', (_, html, seen) => {
    expect(lines(html)).toEqual(seen);
  });

  it('may contain < as text', () => {
    expect(lines('<p>1 < 2 <3 y <</p>')).toEqual(['1 < 2 <3 y <']);
  });

  it('marks the lines of its footers', () => {
    expect(lines('a<footer>b<div>c</div></footer>d')).toEqual(['a', '[b]', '[c]', 'd']);
    expect(lines('<div class="main"><div id=pie>b<div>c</div></div>d</div>')).toEqual(['[b]', '[c]', 'd']);
    expect(lines("<section class='site-footer'>b</section>c")).toEqual(['[b]', 'c']);
  });

  it('does not mark elements that only resemble footers', () => {
    expect(lines('<link id="footer-css"><body class="with-footer"><img class="footer-logo"><p class="piedra">a</p>')).toEqual(['a']);
  });

  it('has its own title, not that of a picture', () => {
    expect(readDocument('<title>Uno &amp; dos</title><svg><title>Logo</title></svg><title>tres</title>').title).toBe('Uno & dos');
  });

  it('has links with address and text', () => {
    const { links } = readDocument('<a href="/a?x=1&amp;y=2">Aviso <b>legal</b></a><a href=/b>B</a><a name="c">c</a>fin');
    expect(links).toEqual([
      { href: '/a?x=1&y=2', text: 'Aviso legal' },
      { href: '/b', text: 'B' },
      { href: '', text: 'c' },
    ]);
  });

  it('has its structured data unparsed', () => {
    const html = `<script type="application/ld+json">{"a":"&amp;"}</script><script type='application/ld+json'>2</script><script>3</script>`;
    expect(readDocument(html).jsonLd).toEqual(['{"a":"&amp;"}', '2']);
  });

  it.each([
    ['elements without end', '<div>'.repeat(300_000)],
    ['ends without beginning', `${'<div>'.repeat(100_000)}${'</span>'.repeat(200_000)}`],
    ['one endless tag', `<div ${'a=1 '.repeat(400_000)}>`],
    ['one endless word', `<a ${'x'.repeat(1_000_000)} href`],
    ['signs that begin nothing', '<'.repeat(1_000_000)],
    ['quotes without end', '<a "'.repeat(400_000)],
    ['comments without end', '<!--'.repeat(400_000)],
    ['references', '&amp;'.repeat(300_000)],
    ['links without end', '<a href=x>x'.repeat(100_000)],
  ])('is read in linear time when it is made of %s', (_, html) => {
    expect(readDocument(`<p>Hola</p>${html}`).lines[0]).toEqual({ text: 'Hola', inFooter: false });
  });
});
