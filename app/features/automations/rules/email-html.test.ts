import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import corpus from '#tests/data/xss-corpus.json' with { type: 'json' }
import { safeEmailHtml, safeSentHtml, withSafeEmails } from './email-html.ts'

const html = (text: string) => safeEmailHtml(text).html

describe('what stays, to the letter', () => {
  test.each([
    'Dear {contact_first_name or "customer"},',
    '<p>Your job <b>{job_number}</b> is done.</p>',
    '<!DOCTYPE html><html lang="en"><head><title>x</title></head><body></body></html>',
    '<table width="100%" cellpadding="0"><tr><td align="center" style="color: #333; padding: 4px">x</td></tr></table>',
    '<a href="https://example.com/?a=1&amp;b=2" target="_blank" rel="noopener">x</a>',
    '<a href="mailto:office@example.com">x</a><a href="tel:+44123">x</a><a href="#top">x</a><a href="/x?y=a:b">x</a>',
    '<a href="{document_url}">x</a><a href="https://example.com/{job_uuid}">x</a>',
    '<a href="{document_url or &quot;https://example.com&quot;}">x</a>',
    '{count.Work & Travel} {x or "Tom & Co"}',
    '<img src="https://example.com/logo.png" alt="" width="10" />',
    '<img src="cid:logo" /><img src="data:image/png;base64,AAAA" />',
    '<style>.a > p { color: red } @media (max-width: 600px) { .b { display: none } }</style>',
    '<platform-user-signature></platform-user-signature>',
    '5 &lt; 6 &amp; 7',
    '[[Business name]]',
    '',
  ])('%s', (text) => {
    expect(safeEmailHtml(text)).toEqual({ html: text, removed: [] })
  })
})

describe('what is written another way', () => {
  test.each([
    ['<P ALIGN="left">x</P>', '<p align="left">x</p>'],
    ['<br><img src="cid:a">', '<br /><img src="cid:a" />'],
    ['<platform-user-signature/>a', '<platform-user-signature></platform-user-signature>a'],
    ["<p title='a\"b'>c</p>", '<p title="a&quot;b">c</p>'],
    ['<td nowrap>1 > 0', '<td nowrap>1 &gt; 0</td>'],
    ['<p>a<p>b', '<p>a</p><p>b</p>'],
    ['{x or &quot;a&quot;} &nbsp;&copy;', '{x or "a"} \u00a0©'],
    ['a<!-- b -->c', 'ac'],
  ])('%s', (text, expected) => {
    expect(safeEmailHtml(text)).toEqual({ html: expected, removed: [] })
  })
})

describe('what goes', () => {
  test.each([
    ['a<script>alert(1)</script>b', 'ab', ['<script>']],
    ['a<SCRIPT src=//x>alert(1)</Script >b', 'ab', ['<script>']],
    ['<iframe src="https://x">a</iframe>b', 'b', ['<iframe>']],
    ['<svg><a href="x">a</a></svg>c', 'c', ['<svg>']],
    ['<form action="https://x"><input name="card">pay</form>', 'pay', ['<form>', '<input>']],
    ['<p onclick="x()" class="a">b</p>', '<p class="a">b</p>', ['onclick']],
    ['<img src=x onerror=alert(1)>', '<img src="x" />', ['onerror']],
    ['<a href="javascript&#00000000058;alert(1)">b</a>', '<a>b</a>', ['href']],
    ['<a title=">" href="javascript:alert(1)">b</a>', '<a title="&gt;">b</a>', ['href']],
    ['<img src="data:image/svg+xml,x">', '<img />', ['src']],
    ['<base href="https://evil"><link rel="stylesheet" href="https://x">a', 'a', ['<base>', '<link>']],
    ['<meta http-equiv="refresh" content="0">', '<meta content="0" />', ['http-equiv']],
    ['<p style="width: exp/* */ression(alert(1))">b</p>', '<p>b</p>', ['style']],
    ['<style>@import "https://x"</style>a', 'a', ['<style>']],
    ['<style>a<!--</style><p>b</p>', '<p>b</p>', ['<style>']],
    ['<x-y onclick=z>a</x-y>', 'a', ['<x-y>']],
  ])('%s', (text, expected, removed) => {
    expect(safeEmailHtml(text)).toEqual({ html: expected, removed })
  })
})

/** What a browser could make of it: each tag, closed and quoted, with names that are known to be harmless. */
const TAG = /^<\/?([a-z][a-z0-9-]*)((?: [a-z-]+(?:="[^"<>]*")?)*)(?: \/)?>/
const HARMLESS =
  /^(?:abbr|align|alt|aria-[a-z]+|bgcolor|border|cell(?:padding|spacing)|charset|class|color|col(?:s|span))$|^(?:content|datetime|dir|face|headers|height|href|hspace|id|lang|name|noshade|nowrap|rel|role|row(?:s|span))$|^(?:rules|scope|size|span|src|start|style|summary|target|title|type|valign|value|vspace|width)$/
const FORBIDDEN =
  /^(?:script|iframe|object|embed|svg|math|form|input|button|base|link|template|noscript|textarea|select|video|audio|source|xmp|plaintext|frame|frameset|noembed|applet|marquee|isindex|animate)$/

/** A sentence about what is dangerous in a text; null = nothing is. Reads it apart from what made it safe. */
function dangerIn(text: string): string | null {
  const rest = text.replace(/^\s*<!doctype [^<>]*>/i, '').replace(/<style>([^<]*)<\/style>/g, (_, rules: string) => {
    // A browser reads no word of a closed comment.
    const read = rules.replace(/\/\*.*?\*\//gs, '')
    return /javascript:|expression\(|@import|behavior|-moz-binding|\\/i.test(read) ? '<bad>' : ''
  })
  for (let at = rest.indexOf('<'); at >= 0; at = rest.indexOf('<', at + 1)) {
    const tag = TAG.exec(rest.slice(at))
    if (!tag) return `no whole tag: ${rest.slice(at, at + 60)}`
    if (FORBIDDEN.test(tag[1] ?? '') || tag[1] === 'bad') return `<${tag[1]}>`
    for (const [, name = '', value = ''] of (tag[2] ?? '').matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)) {
      if (!HARMLESS.test(name)) return `attribute ${name}`
      // No entity is left but the four that it writes itself, so what is read here is what a browser reads.
      if (/&(?!(?:amp|lt|gt|quot);)/.test(value.replace(/\{[^{}]*\}/g, ''))) return `entity in ${value}`
      const read = value
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&')
      if (name === 'href' || name === 'src') {
        if (!URL.canParse(read, 'https://base.example/')) continue
        const { protocol, href } = new URL(read, 'https://base.example/')
        if (!/^(?:https?|mailto|tel|sms|cid|data):$/.test(protocol)) return `${name} ${protocol}`
        if (protocol === 'data:' && !/^data:image\/(?:png|gif|jpe?g|webp);/i.test(href)) return `${name} ${href}`
      }
      if (name === 'style' && /javascript:|expression\(|behavior\s*:|-moz-binding|\\/i.test(read))
        return `style ${read}`
    }
  }
  return null
}

test('the judge of these tests sees what is dangerous', () => {
  const bad = [
    '<script>',
    '<p onclick="x">',
    '<a href="javascript:x">',
    '<a href="java&#9;script:x">',
    '<p title="a',
    '<img src="data:text/html,x">',
  ]
  expect(bad.map((text) => dangerIn(text) !== null)).toEqual(bad.map(() => true))
  expect(dangerIn('<p class="a">b</p><a href="https://x">c</a>')).toBeNull()
})

describe('a corpus of ways to run a script', () => {
  test.each(corpus)('%s', (text) => {
    for (const written of [text, `<div title="${text}">x</div>`, `<p>${text}`]) {
      for (const makeSafe of [html, safeSentHtml]) {
        const safe = makeSafe(written)
        expect(dangerIn(safe)).toBeNull()
        expect(makeSafe(safe)).toBe(safe)
      }
    }
  })
})

test('whatever is put together, nothing in it runs, and doing it again changes nothing', () => {
  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '"',
      "'",
      '=',
      '/',
      ' ',
      '\n',
      '&#106;',
      '&#00000000058;',
      '&amp;',
      '&lt;',
      'javascript:',
      'data:',
      'a',
      'p',
    ],
    ...[
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
    ],
    ...[
      '<p onload=x',
      '<style>',
      '<script>',
      '<title>',
      '</title>',
      '<td>',
      '{x}',
      '{',
      '}',
      '\u0000',
      '/*',
      '*/',
      '<br/>',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const once = html(pieces.join(''))
      expect(dangerIn(once)).toBeNull()
      expect(html(once)).toBe(once)
    }),
    {
      numRuns: 500,
      examples: [[['<style>', '/*', 'javascript:']], [['<td>', '<', 'src', '</script>', '<td>']]],
    },
  )
})

describe('a rule as it is sent', () => {
  const rule = (parameters: Record<string, unknown>, type = 'send_email') => ({
    name: 'x',
    actions: [{ type, parameters }],
  })

  test('has the HTML of its e-mails made safe, and says what went', () => {
    expect(
      withSafeEmails(rule({ customHtmlBody: '<p onclick=x>a</p>', htmlBody: '<script>b</script>', to: '<b>' })),
    ).toEqual({
      body: rule({ customHtmlBody: '<p>a</p>', htmlBody: '', to: '<b>' }),
      takenOut: 'Saved. We removed unsafe parts from the HTML of an e-mail: onclick, <script>.',
    })
  })

  test('loses its tags, and no word, where they nest deeper than any e-mail', () => {
    expect(safeEmailHtml(`<b>Dear</b> ${'<div>'.repeat(1_001)}Joan`)).toEqual({
      html: 'Dear Joan',
      removed: ['tags nested too deep'],
    })
    const long = `<ul>${'<li>a<br />'.repeat(5_000)}</ul>${'<p><b>b</b></p>'.repeat(2_000)}`
    expect(safeEmailHtml(long).removed).toEqual([])
    expect(safeSentHtml(long)).toContain('<b>b</b>')
  })

  test('stays as it is where there is no e-mail, and where it is no rule', () => {
    for (const body of [
      rule({ message: '<script>' }, 'send_sms'),
      { actions: 'x' },
      { actions: [null] },
      null,
      'x',
      [],
    ]) {
      expect(withSafeEmails(body)).toEqual({ body, takenOut: null })
    }
  })
})
