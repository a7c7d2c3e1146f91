import { describe, expect, it } from 'vitest'
import { acceptsHtml, isVisit, OPEN_AGAIN, refusalHtml, refusalPage, refusalText } from './refusal-page.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('who reads HTML', () => {
  it.each([BROWSER, 'text/html', 'application/json;q=0.5, text/html;q=0.9', 'TEXT/HTML; charset=utf-8'])(
    '%s',
    (accept) => {
      expect(acceptsHtml(accept)).toBe(true)
    },
  )
  it.each([
    null,
    undefined,
    '',
    '*/*',
    'application/json',
    'text/*',
    'text/html;q=0',
    'text/html; q=0.0',
    'text/htmlx',
  ])('not %s', (accept) => {
    expect(acceptsHtml(accept)).toBe(false)
  })
})

it('nothing of a sentence becomes markup, and links are absolute', () => {
  const html = refusalHtml(refusalText('<img src=x onerror=alert(1)> "&'), 'https://fieldhook.test')
  expect(html).not.toContain('<img')
  expect(html).toContain('&#60;img src=x onerror=alert(1)&#62; &#34;&#38;')
  expect(html).toContain('href="https://fieldhook.test/"')
  expect(refusalHtml(OPEN_AGAIN, '')).toContain('<h1>Open Fieldhook again</h1>')
})

it('in front of the router a page is for browsers, and never for a JSON call', () => {
  const origin = 'https://fieldhook.test'
  const page = (url: string, accept = BROWSER) => refusalPage({ url, accept, message: 'Too many.', origin })
  expect(page('/fieldhook')).toContain('<p>Too many.</p>')
  expect(page('/api/oauth/authorize?x=1')).toContain('<p>Too many.</p>')
  expect(page('/api/webhooks')).toBeNull()
  expect(page('/fieldhook', '*/*')).toBeNull()
})

it('the address for the platform is visited by a browser only, and never by a challenge', () => {
  const ask = (url: string, accept: string, method = 'GET') => isVisit({ method, url, accept })
  expect(ask('/hooks/platform/x', BROWSER)).toBe(true)
  expect(ask('/hooks/platform/x?mode=subscribe&challenge=abc', BROWSER)).toBe(false)
  expect(ask('/hooks/platform/x', '*/*')).toBe(false)
  expect(ask('/hooks/platform/x', BROWSER, 'POST')).toBe(false)
})
