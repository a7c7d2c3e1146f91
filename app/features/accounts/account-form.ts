// The intents and messages of the buttons on the page "Account and security".
import { isRole, OWNER_ACT_TEXTS, type OwnerAct, type OwnerRefusal, type Role } from '#app/domain/people.ts'
import type { Flash } from '#app/lib/flash.ts'
import { ERASURE_TEXTS } from './erasure.ts'

type AccountIntent =
  | { intent: 'end_session'; id: string }
  | { intent: 'end_all' }
  | { intent: 'erase'; name: string }
  | { intent: 'role'; staffUuid: string; role: Role }

/** Returns null when the intent is unknown. */
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
    description: 'Nobody is signed in to this account any more. Deliveries and automations continue.',
  },
  roleChanged: { kind: 'success', title: 'Role changed' },
  personGone: { kind: 'error', title: 'Nothing was changed', description: 'This person is no longer in the list.' },
  lastOwner: { kind: 'error', title: 'Nothing was changed', description: 'Make someone else an owner first.' },
  erasing: { kind: 'success', title: ERASURE_TEXTS.begun, description: ERASURE_TEXTS.begunMore },
} as const satisfies Record<string, Flash>

/** The owner act that each intent needs; null when everybody may press the button. */
export const INTENT_NEEDS: Record<AccountIntent['intent'], OwnerAct | null> = {
  end_session: null,
  end_all: 'end_all',
  erase: 'erase',
  role: 'roles',
}

/** Explains why an act for owners was refused. */
export function ownerFlash(refused: OwnerRefusal): Flash {
  return { kind: 'error', ...OWNER_ACT_TEXTS[refused] }
}

/** Why the account was not erased. */
export const NOT_ERASED = {
  wrong_name: ERASURE_TEXTS.wrongName,
  under_way: ERASURE_TEXTS.underWay,
  still_paying: ERASURE_TEXTS.subscription,
  payments_off: ERASURE_TEXTS.paymentsOff,
} as const
