// What the buttons of the page "Account and security" send, and the words that answer them.
import { isRole, OWNER_ACT_TEXTS, type OwnerAct, type OwnerRefusal, type Role } from '#app/domain/people.ts'
import type { Flash } from '#app/lib/flash.ts'
import { ERASURE_TEXTS } from './erasure.ts'

type AccountIntent =
  | { intent: 'end_session'; id: string }
  | { intent: 'end_all' }
  | { intent: 'erase'; name: string }
  | { intent: 'role'; staffUuid: string; role: Role }

/** Null = none of ours. */
export function readAccountIntent(form: URLSearchParams): AccountIntent | null {
  switch (form.get('intent')) {
    case 'end_session':
      return { intent: 'end_session', id: form.get('id') ?? '' }
    case 'end_all':
      return { intent: 'end_all' }
    case 'erase':
      return { intent: 'erase', name: (form.get('name') ?? '').slice(0, 300) }
    case 'role': {
      const role = form.get('role')
      return isRole(role) ? { intent: 'role', staffUuid: (form.get('person') ?? '').slice(0, 100), role } : null
    }
    default:
      return null
  }
}

export const ACCOUNT_FLASHES = {
  unknown: {
    kind: 'error',
    title: 'Nothing was changed',
    description: 'Load the page again and press the button once more.',
  },
  sessionEnded: { kind: 'success', title: 'That browser is signed out' },
  sessionGone: { kind: 'info', title: 'That browser was signed out already' },
  allEnded: {
    kind: 'success',
    title: 'Signed out everywhere',
    description: 'Nobody is signed in to this account any more. Deliveries and automations go on.',
  },
  roleChanged: { kind: 'success', title: 'Role changed' },
  personGone: { kind: 'error', title: 'Nothing was changed', description: 'This person is not in the list any more.' },
  lastOwner: { kind: 'error', title: 'Nothing was changed', description: 'Make somebody else an owner first.' },
  erasing: { kind: 'success', title: ERASURE_TEXTS.begun, description: ERASURE_TEXTS.begunMore },
} as const satisfies Record<string, Flash>

/** What a button of the page needs, by its intent; null = everybody may press it. */
export const INTENT_NEEDS: Record<AccountIntent['intent'], OwnerAct | null> = {
  end_session: null,
  end_all: 'end_all',
  erase: 'erase',
  role: 'roles',
}

/** Why what only owners may was not done. */
export function ownerFlash(refused: OwnerRefusal): Flash {
  return { kind: 'error', ...OWNER_ACT_TEXTS[refused] }
}

/** Why it was not erased. */
export const NOT_ERASED = {
  wrong_name: ERASURE_TEXTS.wrongName,
  under_way: ERASURE_TEXTS.underWay,
  still_paying: ERASURE_TEXTS.subscription,
} as const
