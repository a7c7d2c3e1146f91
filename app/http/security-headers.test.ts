import { describe, expect, it } from 'vitest'
import { securityHeaders } from './security-headers.ts'

function headers(path: string, secure = true): Record<string, string> {
  return securityHeaders({ path, nonce: 'abc', secure })
}

describe('the headers of an answer', () => {
  it('let a page run scripts with its nonce and be framed by the platform only', () => {
    const policy = headers('/fieldhook')['Content-Security-Policy'] ?? ''
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self' 'nonce-abc'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "manifest-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'self' https://*.servicem8.com",
      'report-uri /csp-report',
      'report-to csp',
    ])
    expect(headers('/fieldhook')['Cache-Control']).toBeUndefined()
    expect(headers('/fieldhook')['Reporting-Endpoints']).toBe('csp="/csp-report"')
    expect(headers('/api/accounts')['Reporting-Endpoints']).toBeUndefined()
  })

  it.each([
    '/api/accounts',
    '/API/accounts',
    '/%61pi/accounts',
    '/api/oauth/callback',
    '/hooks/platform/x',
    '/hooks/stripe',
    '/csp-report',
    '/api/%',
  ])('allow nothing on %s', (path) => {
    expect(headers(path)).toMatchObject({
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Cache-Control': 'no-store',
    })
  })

  it.each(['/api/webhook-activity', '/api/api-activity'])('leave it to %s how long its list may be kept', (path) => {
    expect(headers(path)['Content-Security-Policy']).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(headers(path)['Cache-Control']).toBeUndefined()
    expect(headers(`${path}/more`)['Cache-Control']).toBe('no-store')
  })

  it('let nobody else load what is here, but for the pictures that ServiceM8 and shared links show', () => {
    const policy = (path: string) => headers(path)['Cross-Origin-Resource-Policy']
    for (const path of [
      '/',
      '/fieldhook',
      '/api/accounts',
      '/hooks/platform/x',
      '/assets/a.js',
      '/launch',
      '/icon-512.png/x',
    ]) {
      expect([path, policy(path)]).toEqual([path, 'same-origin'])
    }
    for (const path of ['/icon-512.png', '/social.png', '/favicon.ico']) expect(policy(path)).toBe('cross-origin')
  })

  it('ask for nothing a device can do; the card form alone may ask for a card', () => {
    const of = (path: string, realPayments = true) =>
      securityHeaders({ path, nonce: 'n', secure: true, realPayments })['Permissions-Policy'] ?? ''
    for (const path of ['/', '/subscription', '/api/accounts']) {
      for (const name of ['camera', 'microphone', 'geolocation', 'usb']) expect(of(path)).toContain(`${name}=()`)
    }
    expect(of('/subscription')).toContain('payment=(self "https://js.stripe.com")')
    expect([of('/'), of('/subscription', false)].every((one) => one.includes('payment=()'))).toBe(true)
  })

  it.each(['/hooks/servicem8', '/launch'])('make %s a page that is never kept', (path) => {
    expect(headers(path)['Content-Security-Policy']).toContain("script-src 'self' 'nonce-abc'")
    expect(headers(path)['Cache-Control']).toBe('no-store')
  })

  it('let further origins frame a page where they are given, and never a call', () => {
    const given = { nonce: 'n', secure: false, framedBy: ['http://127.0.0.1:3000'] }
    expect(securityHeaders({ ...given, path: '/' })['Content-Security-Policy']).toContain(
      "frame-ancestors 'self' https://*.servicem8.com http://127.0.0.1:3000",
    )
    expect(securityHeaders({ ...given, path: '/api/accounts' })['Content-Security-Policy']).toContain(
      "frame-ancestors 'none'",
    )
  })

  it('let the payment provider into the subscription page only, and only where it takes the cards', () => {
    const policyOf = (path: string, realPayments: boolean) =>
      securityHeaders({ path, nonce: 'abc', secure: true, realPayments })['Content-Security-Policy'] ?? ''
    expect(policyOf('/subscription', true).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self' 'nonce-abc' https://js.stripe.com https://*.js.stripe.com",
      "style-src 'self'",
      "img-src 'self' data: https://*.stripe.com",
      "font-src 'self'",
      "connect-src 'self' https://api.stripe.com",
      'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
      "manifest-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self' https://billing.stripe.com",
      "frame-ancestors 'self' https://*.servicem8.com",
      'report-uri /csp-report',
      'report-to csp',
    ])
    for (const path of ['/Subscription', '/subscription/']) {
      expect(policyOf(path, true)).toBe(policyOf('/subscription', true))
    }
    for (const path of ['/', '/fieldhook', '/automation', '/subscription/x', '/api/subscription/x', '/sandbox']) {
      expect(policyOf(path, true)).not.toContain('stripe')
    }
    expect(policyOf('/subscription', false)).toBe(policyOf('/fieldhook', false))
    expect(policyOf('/subscription', false)).not.toContain('stripe')
  })

  it('are the same everywhere otherwise, with HSTS on https only', () => {
    for (const path of ['/', '/api/accounts']) {
      expect(headers(path)).toMatchObject({
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
        'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
      })
    }
    expect(headers('/', false)['Strict-Transport-Security']).toBeUndefined()
    expect(headers('/')['X-Frame-Options']).toBeUndefined()
  })
})
