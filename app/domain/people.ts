// What only an owner of a firm may do, and what wants a fresh proof. Everything of the day is for everybody.
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'

const ROLES = ['owner', 'member'] as const
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
  rights: OwnerRights
}

/** How old an opening or a sign-in may be for what cannot be taken back, or opens everything. */
export const FRESH_FOR = minutes(10)

/** True = wants a fresh proof, too. */
const OWNER_ACTS = { pay: false, roles: true, export: true, erase: true, keys: true, end_all: true } as const
export type OwnerAct = keyof typeof OWNER_ACTS

export function wantsFreshProof(act: OwnerAct): boolean {
  return OWNER_ACTS[act]
}

/** Whoever asks: what a session knows of them. */
export interface Asking {
  role: Role
  /** Null = the platform did not say who it is. */
  staffUuid: string | null
  /** The latest opening or sign-in of this browser for the account. */
  freshAt: Millis
}

/** `owner` = this person is a member; `unnamed` = nobody knows who it is; `fresh` = an owner whose last opening or sign-in is too long ago. */
export type OwnerRefusal = 'owner' | 'unnamed' | 'fresh'

/** Why it may not be done now. Null = it may. */
export function ownerActRefusal(act: OwnerAct, asking: Asking, now: Millis): OwnerRefusal | null {
  const { role, staffUuid, freshAt } = asking
  if (role !== 'owner') return staffUuid === null ? 'unnamed' : 'owner'
  return wantsFreshProof(act) && now - freshAt >= FRESH_FOR ? 'fresh' : null
}

export const OWNER_ACT_TEXTS = {
  owner: {
    title: 'Only an owner can do this',
    description: 'Ask an owner of your firm. The account page lists them.',
  },
  unnamed: {
    title: 'Open Fieldhook from ServiceM8 first',
    description: 'Press Fieldhook in ServiceM8: that shows who you are. Owners can then do this there.',
  },
  fresh: {
    title: 'This needs a recent sign-in',
    description:
      'Open Fieldhook from ServiceM8 again. Outside ServiceM8, sign in again. Then repeat this within 10 minutes.',
  },
} as const satisfies Record<OwnerRefusal, { title: string; description: string }>

/** What a page knows of whoever looks at a control that only owners may use. */
export interface OwnerRights {
  /** Null = it may be used. */
  refusal: OwnerRefusal | null
  /** Names of the owners, for those who are none; empty where they are not known. */
  owners: string[]
}

/** The sentence in place of such a control, or beside it; `act` = what it does: "sign everybody out". Null = none is needed. */
export function ownerNote({ refusal, owners }: OwnerRights, act: string): string | null {
  if (refusal === null) return null
  if (refusal === 'fresh') return `To ${act}, open Fieldhook from ServiceM8 again.`
  const who =
    owners.length === 0 ? `Owners can ${act}. The account page lists them.` : `Owners can ${act}: ${owners.join(', ')}.`
  return refusal === 'owner' ? who : `${who} If you are one, open Fieldhook from ServiceM8.`
}

export const ROLE_TEXTS: Record<Role, string> = { owner: 'Owner', member: 'Member' }

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text)
}
