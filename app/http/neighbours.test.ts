import { expect, test } from 'vitest'
import { isDirectNeighbour, isPrivate } from './neighbours.server.ts'

test('addresses of this machine and of private networks are private, all others are not', () => {
  for (const ip of [
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.5',
    '::ffff:10.0.0.1',
    'fdaa:0:1::3',
    'fe80::1%eth0',
  ]) {
    expect([ip, isPrivate(ip)]).toEqual([ip, true])
  }
  for (const ip of ['8.8.8.8', '172.32.0.1', '::ffff:8.8.8.8', '2001:db8::1', '169.254.1.1', '100.64.0.1']) {
    expect([ip, isPrivate(ip)]).toEqual([ip, false])
  }
})

test('whoever comes through a proxy is no neighbour, whatever the address', () => {
  expect(isDirectNeighbour('fdaa:0:1::3', new Headers())).toBe(true)
  expect(isDirectNeighbour('203.0.113.5', new Headers())).toBe(false)
  for (const name of ['X-Forwarded-For', 'Forwarded', 'Via', 'Fly-Client-IP', 'X-Real-IP']) {
    expect(isDirectNeighbour('10.0.0.2', new Headers({ [name]: '203.0.113.5' }))).toBe(false)
  }
})
