// Actions reserved to owners, and actions that need a fresh proof. Everyday work is open to everyone.
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'

const ROLES = ['owner', 'member'] as const
export type Role = (typeof ROLES)[number]

/** A person of the account, as named in the platform's signed openings. */
export interface Person {
  staffUuid: string
  role: Role
  since: Millis
}

/** The people as the account page lists them. */
export interface PeopleOfPage {
  people: (Person & { name: string; you: boolean })[]
  rights: OwnerRights
}

/** Maximum age of an opening or sign-in for actions that are irreversible or reveal everything. */
export const FRESH_FOR = minutes(10)

/** True = also needs a fresh proof. */
const OWNER_ACTS = { pay: false, roles: true, export: true, erase: true, keys: true, end_all: true } as const
export type OwnerAct = keyof typeof OWNER_ACTS

export function wantsFreshProof(act: OwnerAct): boolean {
  return OWNER_ACTS[act]
}

/** The person asking, as known from the session. */
export interface Asking {
  role: Role
  /** Null = the platform did not name the person. */
  staffUuid: string | null
  /** This browser's latest opening or sign-in for the account. */
  freshAt: Millis
}

/** `owner` = the person is a member; `unnamed` = unknown person; `fresh` = an owner whose proof is too old. */
export type OwnerRefusal = 'owner' | 'unnamed' | 'fresh'

/** Why the action is refused now. Null = allowed. */
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

/** A viewer's rights to an owner-only control. */
export interface OwnerRights {
  /** Null = allowed. */
  refusal: OwnerRefusal | null
  /** Names of the owners, shown to others; empty where unknown. */
  owners: string[]
}

/** The sentence next to or instead of such a control; `act` = the action: "sign everybody out". Null = not needed. */
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
