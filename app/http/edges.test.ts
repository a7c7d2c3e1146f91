import { describe, expect, test } from 'vitest'
import { createEdges } from './edges.ts'

const judge = createEdges('https://hooks.example.com')
const ask = (method: string, url: string, ...hosts: string[]) =>
  judge({ method, url, rawHeaders: ['Accept', '*/*', ...hosts.flatMap((host) => ['hOsT', host])] })
const status = (...asked: Parameters<typeof ask>) => ask(...asked)?.status ?? 200

describe('the method', () => {
  test('is one of seven; another is 405 and says which', () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect([method, status(method, '/', 'hooks.example.com')]).toEqual([method, 200])
    }
    for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'PURGE', 'get', '']) {
      expect([method, status(method, '/', 'hooks.example.com')]).toEqual([method, 405])
    }
    expect(ask('TRACE', '/', 'hooks.example.com')?.headers?.Allow).toContain('GET, HEAD, POST')
  })
})

describe('the target', () => {
  test('is a path; anything else is 400', () => {
    for (const url of ['*', 'http://hooks.example.com/', 'https://evil.example/api', 'hooks.example.com:443', '']) {
      expect([url, status('OPTIONS', url, 'hooks.example.com')]).toEqual([url, 400])
    }
  })

  test('with doubled slashes is sent on to the path with single ones, on this host', () => {
    for (const [url, to] of [
      ['//?accountUUID=x&to=//y', '/?accountUUID=x&to=//y'],
      ['//evil.example/', '/evil.example/'],
      ['/\\evil.example', '/evil.example'],
      ['/.//evil.example', '/evil.example'],
      ['/fieldhook//', '/fieldhook/'],
      ['///automation////runs/7', '/automation/runs/7'],
    ] as const) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const { status, headers } = ask(method, url, 'hooks.example.com') ?? {}
        expect([url, status, headers?.Location]).toEqual([url, 308, to])
      }
    }
  })

  test('of a call, a hook or a query with doubled slashes is left as it is', () => {
    for (const url of [
      '//api/webhooks',
      '/api//webhooks',
      '//hooks/platform/x',
      '/hooks//x',
      '/?to=https://x',
      '/?x=\\',
    ]) {
      expect([url, status('POST', url, 'hooks.example.com')]).toEqual([url, 200])
    }
  })
})

describe('the host', () => {
  test('is ours, with or without its usual port, whatever the case', () => {
    for (const host of ['hooks.example.com', 'HOOKS.example.com', 'hooks.example.com:443']) {
      expect([host, status('GET', '/', host)]).toEqual([host, 200])
    }
  })

  test('of somebody else is 421 and says where to go', () => {
    for (const host of [
      'evil.example',
      'hooks.example.com.evil.example',
      'hooks.example.com:8443',
      'hooks.example.com@evil.example',
      'localhost',
      '127.0.0.1',
      '',
    ]) {
      expect([host, status('GET', '/', host)]).toEqual([host, 421])
    }
    expect(ask('GET', '/', 'evil.example')?.message).toBe(
      'This is another address. Open https://hooks.example.com instead.',
    )
  })

  test('is sent once', () => {
    expect(status('GET', '/', 'hooks.example.com', 'evil.example')).toBe(400)
    expect(status('GET', '/', 'hooks.example.com', 'hooks.example.com')).toBe(400)
    expect(status('GET', '/')).toBe(400)
    expect(status('GET', '/healthz', 'a', 'b')).toBe(400)
    expect(status('POST', '/hooks/platform/x', 'a', 'b')).toBe(400)
  })

  test('is any for whoever watches over the process, and where a token, a key or a signature is the proof', () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/metrics/', '/readyz?x=1']) {
      expect([path, status('GET', path, '10.0.0.7:3000')]).toEqual([path, 200])
      expect([path, status('GET', path)]).toEqual([path, 200])
    }
    for (const path of ['/hooks/platform/x', '/hooks/servicem8', '/hooks/stripe', '/documents/x']) {
      expect([path, status('POST', path, 'old.example.com')]).toEqual([path, 200])
    }
    expect(status('POST', '/api/automation/7/trigger?key=x', 'old.example.com')).toBe(200)
    for (const path of [
      '/healthz/x',
      '/metricsx',
      '/documents',
      '/api/automation/7',
      '/?x=/hooks/platform/x',
      '/hooks/../account',
    ]) {
      expect([path, status('GET', path, '10.0.0.7:3000')]).toEqual([path, 421])
    }
  })

  test('is any name of this machine where the public address is one', () => {
    const local = createEdges('http://localhost:3000')
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'app.localhost:4000']) {
      expect([host, local({ method: 'GET', url: '/', rawHeaders: ['Host', host] })]).toEqual([host, null])
    }
    expect(local({ method: 'GET', url: '/', rawHeaders: ['Host', 'localhost.evil.example'] })?.status).toBe(421)
  })
})
