import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { safeEmailHtml } from './email-html.ts'

const html = (text: string) => safeEmailHtml(text).html

describe('what stays, to the letter', () => {
  test.each([
    'Dear {contact_first_name or "customer"},',
    '<p>Your job <b>{job_number}</b> is done.</p>',
    '<!DOCTYPE html><html lang="en"><head><title>x</title><meta charset="utf-8"></head><body></body></html>',
    '<table width="100%" cellpadding="0"><tr><td align="center" style="color: #333; padding: 4px">x</td></tr></table>',
    '<a href="https://example.com/?a=1&amp;b=2" target="_blank" rel="noopener">x</a>',
    '<a href="mailto:office@example.com">x</a><a href="tel:+44123">x</a><a href="#top">x</a><a href="/x?y=a:b">x</a>',
    '<a href="{document_url}">x</a><a href="https://example.com/{job_uuid}">x</a><a href="{a or "b"}">x</a>'.replace(
      '{a or "b"}',
      '{a}',
    ),
    '<img src="https://example.com/logo.png" alt="" width="10"/>',
    '<img src="cid:logo"><img src="data:image/png;base64,AAAA">',
    '<style>.a { color: red } @media (max-width: 600px) { .b { display: none } }</style>',
    '<platform-user-signature/>',
    '<P ALIGN="left">x</P>',
    '5 &lt; 6 &amp; 7 > 6',
    '',
  ])('%s', (text) => {
    expect(safeEmailHtml(text)).toEqual({ html: text, removed: [] })
  })
})

describe('what goes', () => {
  test.each([
    ['a<script>alert(1)</script>b', 'ab', ['<script>']],
    ['a<SCRIPT src=//x>alert(1)</Script >b', 'ab', ['<script>']],
    ['a<script>alert(1)', 'a', ['<script>']],
    ['<iframe src="https://x">a</iframe>b', 'b', ['<iframe>']],
    ['<svg><a href="x">a</a><script>b</script></svg>c', 'c', ['<svg>']],
    ['<form action="https://x"><input name="card">pay</form>', 'pay', ['<form>', '<input>']],
    ['<p onclick="x()" class="a">b</p>', '<p class="a">b</p>', ['onclick']],
    ['<p/onclick=x()>b</p>', '<p>b</p>', ['onclick']],
    ['<img src=x onerror=alert(1)>', '<img src="x">', ['onerror']],
    ['<a href="javascript:alert(1)">b</a>', '<a>b</a>', ['href']],
    ['<a href=" JaVaScRiPt:alert(1)">b</a>', '<a>b</a>', ['href']],
    ['<a href="java\tscr\nipt:alert(1)">b</a>', '<a>b</a>', ['href']],
    ['<a href="java&Tab;script&colon;alert(1)">b</a>', '<a>b</a>', ['href']],
    ['<a href="&#106;avascript&#x3a;alert(1)">b</a>', '<a>b</a>', ['href']],
    ['<a href="&#0000106avascript:alert(1)">b</a>', '<a>b</a>', ['href']],
    ['<a href="data:text/html,x">b</a>', '<a>b</a>', ['href']],
    ['<a href="vbscript:x">b</a><a href="file:///etc">c</a>', '<a>b</a><a>c</a>', ['href']],
    ['<img src="data:image/svg+xml,x">', '<img>', ['src']],
    ['<img srcset="https://x 2x" src="javascript:x">', '<img>', ['srcset', 'src']],
    ['<base href="https://evil"><link rel="stylesheet" href="https://x">a', 'a', ['<base>', '<link>']],
    ['<meta http-equiv="refresh" content="0;url=https://x">', '<meta content="0;url=https://x">', ['http-equiv']],
    ['<p style="width: expression(alert(1))">b</p>', '<p>b</p>', ['style']],
    ['<p style="width: exp/* */ression(alert(1))">b</p>', '<p>b</p>', ['style']],
    ['<p style="background: url(&quot;javascript:x&quot;)">b</p>', '<p>b</p>', ['style']],
    ['<p style="\\65xpression(1)">b</p>', '<p>b</p>', ['style']],
    ['<style>@import "https://x"</style>a', 'a', ['<style>']],
    ['<style>a<!--</style><p>b</p>', '<p>b</p>', ['<style>']],
    ['<!-- <script>a</script> -->b<!-- never ends', 'b', []],
    ['<x-y onclick=z>a</x-y>', 'a', ['<x-y>']],
    ['<p title="a" b', '', []],
    ["<p title='a\"b'>c</p>", "<p title='a\"b'>c</p>", []],
    ['<p title=a"onclick="x>c</p>', `<p title='a"onclick="x'>c</p>`, []],
    ['<{x}>1 < 2<', '&lt;{x}>1 &lt; 2&lt;', []],
    ['</script>a', 'a', ['<script>']],
  ])('%s', (text, expected, removed) => {
    expect(safeEmailHtml(text)).toEqual({ html: expected, removed })
  })
})

test('whatever is put together, nothing in it runs, and doing it again changes nothing', () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '=',
    '/',
    ' ',
    '\n',
    '&#106;',
    'javascript:',
    'a',
    'p',
    'script',
    'style',
    'svg',
    'onclick',
    'href',
    'src',
    '<!--',
    '-->',
    '</script>',
    '</style>',
    '<a href=',
    '<img src="',
    '<p onload=x',
    '<style>',
    '<script>',
    '{x}',
    '\u0000',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const once = html(pieces.join(''))
      expect(html(once)).toBe(once)
      // Quoted values are only words: what is looked for is outside of them.
      const bare = once.replace(/="[^"]*"|='[^']*'/g, '=v')
      expect(bare).not.toMatch(/<(script|svg|iframe|form)/i)
      for (const [tag] of bare.matchAll(/<[a-z][^>]*>/gi)) expect(tag).not.toMatch(/\son\w+/i)
      expect(once).not.toMatch(/(href|src)="\s*(javascript|&#106;avascript):/i)
    }),
    { numRuns: 500 },
  )
})
