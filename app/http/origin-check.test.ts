import { describe, expect, it } from 'vitest'
import { admitRequest, judgeOrigin } from './origin-check.ts'

const OWN = 'https://fieldhook.test'

describe('the verdict', () => {
  it.each([
    // method, url, Sec-Fetch-Site, Origin, verdict
    ['GET', '/fieldhook', 'cross-site', null, 'allow'],
    ['HEAD', '/fieldhook', null, 'https://evil.example', 'allow'],
    ['OPTIONS', '/api/webhooks', 'cross-site', 'https://evil.example', 'allow'],
    ['POST', '/api/webhooks', 'same-origin', OWN, 'allow'],
    ['POST', '/api/webhooks', 'same-origin', null, 'allow'],
    ['post', '/api/webhooks', 'cross-site', OWN, 'refuse'],
    ['POST', '/api/webhooks', 'same-site', OWN, 'refuse'],
    ['POST', '/api/webhooks', 'none', null, 'refuse'],
    ['POST', '/api/webhooks', '', OWN, 'refuse'],
    ['POST', '/api/webhooks', 'same-origin,cross-site', OWN, 'refuse'],
    ['POST', '/api/webhooks', null, OWN, 'allow'],
    ['POST', '/api/webhooks', null, 'https://evil.example', 'refuse'],
    ['POST', '/api/webhooks', null, 'http://fieldhook.test', 'refuse'],
    ['POST', '/api/webhooks', null, 'https://fieldhook.test:8443', 'refuse'],
    ['POST', '/api/webhooks', null, 'https://fieldhook.test.evil.example', 'refuse'],
    ['POST', '/api/webhooks', null, 'null', 'refuse'],
    ['POST', '/api/webhooks', null, '', 'refuse'],
    ['POST', '/api/webhooks', null, null, 'ignore_cookies'],
    ['PUT', '/api/webhooks/1', null, null, 'ignore_cookies'],
    ['DELETE', '/api/webhooks/1', 'cross-site', null, 'refuse'],
    ['PATCH', '/anything', 'cross-site', null, 'refuse'],
    ['POST', '/fieldhook.data', 'cross-site', null, 'refuse'],
    ['POST', '/launch', 'same-origin', OWN, 'allow'],
    ['POST', '/launch', 'cross-site', 'https://go.servicem8.com', 'refuse'],
    ['POST', '/hooks/servicem8', 'cross-site', 'https://go.servicem8.com', 'ignore_cookies'],
    ['POST', '/hooks/platform/abc', null, null, 'ignore_cookies'],
    ['GET', '/hooks/platform/abc', null, null, 'ignore_cookies'],
    ['POST', '/api/automation/7/trigger?key=k', 'cross-site', null, 'ignore_cookies'],
    ['POST', '/api/automation/7/run', 'cross-site', null, 'refuse'],
    ['POST', '/hooks/../api/webhooks', 'cross-site', null, 'refuse'],
    ['POST', '//hooks/x', 'cross-site', null, 'refuse'],
    ['POST', '//evil.example/hooks/x', 'cross-site', null, 'refuse'],
    ['POST', '/x/hooks/x', 'cross-site', null, 'refuse'],
    ['POST', '/x/api/automation/7/trigger', 'cross-site', null, 'refuse'],
    ['POST', '/api/automation/7/trigger/', 'cross-site', null, 'ignore_cookies'],
    ['POST', '/csp-report', 'cross-site', 'null', 'ignore_cookies'],
    ['POST', '/csp-report', 'same-origin', OWN, 'ignore_cookies'],
    ['POST', '/csp-report/x', 'cross-site', null, 'refuse'],
    ['POST', '/api/automation/7/trigger/x', 'cross-site', null, 'refuse'],
    ['POST', '/api/automation/7/8/trigger', 'cross-site', null, 'refuse'],
    ['POST', '/api/automation//trigger', 'cross-site', null, 'refuse'],
    ['GET', '//', null, null, 'allow'],
    ['GET', 'http://[', null, null, 'refuse'],
    ['GET', 'https://elsewhere.example/fieldhook?_data=root', null, null, 'refuse'],
    ['OPTIONS', '*', null, null, 'allow'],
    ['POST', '/api/webhooks?x=/hooks/', 'cross-site', null, 'refuse'],
    ['GET', '/fieldhook?_data=root', 'same-origin', OWN, 'refuse'],
    ['POST', '/fieldhook?a=1&_data=routes%2Fx', 'same-origin', OWN, 'refuse'],
  ] as const)('on %s %s, site %j, origin %j is %s', (method, url, secFetchSite, origin, verdict) => {
    expect(judgeOrigin({ method, url, secFetchSite, origin, ownOrigin: OWN })).toBe(verdict)
  })
})

describe('admitting a request', () => {
  it('leaves an allowed one its cookies', () => {
    const req = { method: 'GET', url: '/', headers: { cookie: 'a=1' } as Record<string, string> }
    expect(admitRequest(req, OWN)).toBeNull()
    expect(req.headers.cookie).toBe('a=1')
  })

  it('takes the cookies of one that is not a browser', () => {
    const req = { method: 'POST', url: '/api/webhooks', headers: { cookie: 'a=1' } as Record<string, string> }
    expect(admitRequest(req, OWN)).toBeNull()
    expect(req.headers).toEqual({})
  })

  it('refuses with 403 and a sentence', () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect(admitRequest({ method: 'POST', url: '/sign-out', headers }, OWN)).toEqual({
      status: 403,
      message: 'This request did not come from a page of this site.',
    })
  })
})
