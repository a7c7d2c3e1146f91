import { describe, expect, it } from 'vitest'
import { hours, minutes } from '#app/lib/duration.ts'
import {
  type ActingAccount,
  actsAsAdmin,
  LAUNCH_TICKET_LASTS,
  LINK_TICKET_LASTS,
  PLACEHOLDER_LASTS,
  type ProvedAccount,
  SESSION_ABSOLUTE,
  SESSION_IDLE,
  SESSION_SEEN_EVERY,
  SIGN_IN_LASTS,
  type StoredSession,
  sessionOf,
} from './session.ts'

const NOW = Date.UTC(2026, 0, 5, 9)

function proved(accountUuid: string, provedAt = NOW - hours(1)): ProvedAccount {
  return { accountUuid, staffUuid: null, proof: 'oauth', provedAt, role: 'owner' }
}

/** As a request acts for it; fresh by its own proof unless another moment is given. */
function acting(account: ProvedAccount, freshAt = account.provedAt): ActingAccount {
  return { ...account, freshAt }
}

function stored(overrides: Partial<StoredSession> = {}): StoredSession {
  const times = { createdAt: NOW - hours(1), lastSeenAt: NOW - minutes(5), expiresAt: NOW + hours(23) }
  return { tokenHash: 'h', ...times, accounts: [proved('a')], ...overrides }
}

describe('a session', () => {
  it('lives while it is used', () => {
    expect(sessionOf([stored()], NOW)).toEqual({ tokenHashes: ['h'], accounts: [acting(proved('a'))] })
  })

  it('ends after eight hours without a request', () => {
    expect(sessionOf([stored({ lastSeenAt: NOW - hours(8) + 1 })], NOW)).not.toBeNull()
    expect(sessionOf([stored({ lastSeenAt: NOW - hours(8) })], NOW)).toBeNull()
  })

  it('ends at its end, however much it is used', () => {
    expect(sessionOf([stored({ expiresAt: NOW, lastSeenAt: NOW })], NOW)).toBeNull()
  })

  it('forgets an account 24 hours after its proof, also when it was carried over', () => {
    const accounts = [proved('old', NOW - hours(24)), proved('new', NOW - hours(23))]
    expect(sessionOf([stored({ accounts })], NOW)?.accounts.map((account) => account.accountUuid)).toEqual(['new'])
    expect(sessionOf([stored({ accounts: [proved('old', NOW - hours(24))] })], NOW)).toBeNull()
  })

  it('is the sum of what tab and frame have proved, the latest proof counting', () => {
    const frame = { ...proved('a', NOW - minutes(1)), staffUuid: 's', proof: 'launch' as const }
    const session = sessionOf([stored(), stored({ tokenHash: 'f', accounts: [frame, proved('b')] })], NOW)
    expect(session?.tokenHashes).toEqual(['h', 'f'])
    expect(session?.accounts).toEqual([acting(frame), acting(proved('b'))])
    const turned = sessionOf([stored({ tokenHash: 'f', accounts: [frame] }), stored()], NOW)
    expect(turned?.accounts).toEqual([acting(frame)])
    const same = { ...proved('a'), role: 'member' as const }
    expect(sessionOf([stored(), stored({ accounts: [same] })], NOW)?.accounts).toEqual([acting(proved('a'))])
  })

  it('keeps the person an opening named when a later sign-in names nobody, until that opening is over', () => {
    const opened = { ...proved('a', NOW - hours(2)), staffUuid: 'elin', proof: 'launch' as const }
    const signedIn = { ...proved('a', NOW), role: 'member' as const }
    const both = [stored({ accounts: [opened] }), stored({ tokenHash: 't', accounts: [signedIn] })]
    for (const order of [both, [...both].reverse()]) {
      // Who it is stays; how fresh that is, the sign-in says.
      expect(sessionOf(order, NOW)?.accounts).toEqual([acting(opened, NOW)])
    }
    expect(sessionOf(both, NOW + hours(22))).toBeNull()
    const later = { ...opened, staffUuid: 'kim', provedAt: NOW - hours(1) }
    expect(sessionOf([...both, stored({ tokenHash: 'k', accounts: [later] })], NOW)?.accounts).toEqual([
      acting(later, NOW),
    ])
    const over = { ...opened, provedAt: NOW - hours(24) }
    expect(sessionOf([stored({ accounts: [over] }), stored({ accounts: [signedIn] })], NOW)?.accounts).toEqual([
      acting(signedIn),
    ])
  })

  it('is as fresh as its latest living proof of that account, in any of its sessions', () => {
    const opened = { ...proved('a', NOW - hours(2)), staffUuid: 'elin', proof: 'launch' as const }
    const freshOf = (...sessions: StoredSession[]) =>
      sessionOf([stored({ accounts: [opened] }), ...sessions], NOW)?.accounts.find(
        ({ accountUuid }) => accountUuid === 'a',
      )?.freshAt
    expect(freshOf()).toBe(NOW - hours(2))
    expect(freshOf(stored({ accounts: [proved('a', NOW - minutes(3))] }))).toBe(NOW - minutes(3))
    expect(freshOf(stored({ accounts: [proved('a', NOW - hours(3))] }))).toBe(NOW - hours(2))
    expect(freshOf(stored({ accounts: [proved('b', NOW)] }))).toBe(NOW - hours(2))
    // A session that is over lends nothing.
    expect(freshOf(stored({ expiresAt: NOW, accounts: [proved('a', NOW)] }))).toBe(NOW - hours(2))
  })
})

it('lasts as the page on security says, and so do the steps that lead to it', () => {
  expect({ SESSION_IDLE, SESSION_ABSOLUTE, SESSION_SEEN_EVERY }).toEqual({
    SESSION_IDLE: 8 * 3_600_000,
    SESSION_ABSOLUTE: 24 * 3_600_000,
    SESSION_SEEN_EVERY: 60_000,
  })
  expect([LAUNCH_TICKET_LASTS, LINK_TICKET_LASTS, SIGN_IN_LASTS, PLACEHOLDER_LASTS]).toEqual([
    60_000, 600_000, 600_000, 86_400_000,
  ])
})

describe('the role of an admin', () => {
  const admins = new Set(['boss'])
  const asked = (query: string, header: string | null = null) => ({ query: new URLSearchParams(query), header })

  it.each([
    ['boss', 'admin=yes', null, true],
    ['boss', '', 'true', true],
    ['boss', '', 'TRUE', true],
    ['boss', '', null, false],
    ['boss', 'admin=no', 'false', false],
    ['boss', 'admin=YES', null, false],
    ['worker', 'admin=yes', 'true', false],
  ])('for %s with "%s" and header %s is %s', (account, query, header, expected) => {
    expect(actsAsAdmin(admins, { accountUuid: account, staffUuid: null }, asked(query, header))).toBe(expected)
  })
  it('names one person of an account, and nobody else of it', () => {
    const only = new Set(['boss:kim'])
    const may = (staffUuid: string | null) => actsAsAdmin(only, { accountUuid: 'boss', staffUuid }, asked('admin=yes'))
    expect([may('kim'), may('alex'), may(null)]).toEqual([true, false, false])
  })
})
