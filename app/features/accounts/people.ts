// What only an owner of a firm may do, and what wants a fresh sign-in. Everything of the day is for everybody.
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'

export const ROLES = ['owner', 'member'] as const
export type Role = (typeof ROLES)[number]

/** A person of the firm, as the platform's signed openings name them. */
export interface Person {
  staffUuid: string
  role: Role
  since: Millis
}

/** As the account page lists them. */
export interface PeopleOfPage {
  people: (Person & { name: string; you: boolean })[]
  /** The button that changes a role is there. */
  changeable: boolean
}

/** How old a sign-in may be for what cannot be taken back, or opens everything. */
export const FRESH_FOR = minutes(10)

/** True = wants a fresh sign-in, too. */
const OWNER_ACTS = { pay: false, roles: true, export: true, erase: true, keys: true, end_all: true } as const
export type OwnerAct = keyof typeof OWNER_ACTS

/** Whoever asks: what a session knows of them. */
export interface Asking {
  role: Role
  provedAt: Millis
}

/** Why it may not be done now: `owner` = only owners may; `fresh` = sign in again first. Null = it may. */
export function ownerActRefusal(act: OwnerAct, { role, provedAt }: Asking, now: Millis): 'owner' | 'fresh' | null {
  if (role !== 'owner') return 'owner'
  return OWNER_ACTS[act] && now - provedAt >= FRESH_FOR ? 'fresh' : null
}

export const OWNER_ACT_WORDS = {
  owner: {
    title: 'Only an owner can do this',
    description: 'Ask an owner of your firm. The account page lists them.',
  },
  fresh: {
    title: 'Open Fieldhook again first',
    description: 'Press Fieldhook in ServiceM8, or sign in again. Then repeat this within 10 minutes.',
  },
} as const

export const ROLE_WORDS: Record<Role, string> = { owner: 'Owner', member: 'Member' }

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text)
}
