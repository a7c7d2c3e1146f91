import { expect, test } from 'vitest'
import { cutPage, fillPage } from './page-template.ts'

const SLOTS = {
  nonce: 'nonce-9',
  account: 'account-9',
  token: 'token-9',
  here: '/x?accountUUID=account-9&token=token-9',
}
const PAGE = `<script nonce="nonce-9">tell("[\\"account-9\\",\\"token-9\\"]")</script>
<a href="/in?accountuuid=account-9&amp;token=token-9">Sign in</a><a href="/x?accountUUID=account-9&amp;token=token-9">Again</a>`
const fill = (over: Partial<typeof SLOTS>) =>
  fillPage(cutPage(PAGE, SLOTS), { nonce: 'n+/=', account: 'a', token: 't', here: '/x?a=1', ...over }).toString()

test('each thing is filled in as the place wants it', () => {
  expect(fill({ account: 'ext:1', token: 'a b', here: '/x?accountUUID=ext:1&token=a%20b' })).toBe(
    `<script nonce="n+/=">tell("[\\"ext:1\\",\\"a b\\"]")</script>
<a href="/in?accountuuid=ext%3A1&amp;token=a+b">Sign in</a><a href="/x?accountUUID=ext:1&amp;token=a%20b">Again</a>`,
  )
})

test('nothing that is filled in ends a text, a tag or a script, and it is read as it was written', () => {
  const odd = `"'\\</script><b>&amp;\u2028${SLOTS.account}`
  const page = fill({ token: odd, here: `/x?y="><i>'` })
  expect(page.match(/<[^>]*>/g)).toEqual([
    '<script nonce="n+/=">',
    '</script>',
    expect.stringMatching(/^<a href="\/in[^"]*">$/),
    '</a>',
    expect.stringMatching(/^<a href="\/x[^"]*">$/),
    '</a>',
  ])
  const told = page.match(/tell\((".*")\)<\/script>/)?.[1] ?? ''
  expect(JSON.parse(JSON.parse(told))).toEqual(['a', odd])
})

test('a page without slots stays as it is', () => {
  expect(fillPage(cutPage('<p>x</p>', SLOTS), { nonce: '', account: '', token: '', here: '' }).toString()).toBe(
    '<p>x</p>',
  )
})
