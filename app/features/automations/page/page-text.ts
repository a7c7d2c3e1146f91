// Texts of the automations page: toasts, refusals, and load errors.
import { ruleAnchor } from '#app/domain/automations/automation-address.ts'
import type { Flash } from '#app/lib/flash.ts'
import { didText, isHeldBack, NOT_RUN_YET, RAN, type RanNowFacts, ranNowText } from '../preview/run-now-text.ts'
import { FORM_TEXTS } from '../rules/form-text.ts'

export const AUTHENTICATE_TO_MANAGE =
  'Authentication Required: Please authenticate with the platform to manage automations.'

const UPDATED_PERMISSIONS =
  "Updated Permissions Required. Your OAuth token needs updated permissions. Please click 'Reconnect' in the Webhook Manager to get new permissions for job queues access."
const AUTHENTICATE_FOR_LISTS =
  'Authentication Required: Please authenticate with the platform first to access jobs and queues data.'

export const RULES_NOT_FETCHED = 'Failed to fetch automations'
export const LOGS_NOT_FETCHED = 'Failed to fetch logs'
export const RULE_RUN_FAILED = 'Failed to run automation'
export const LOOK_BACK_FAILED = 'The last 30 days could not be looked up'
export const RULE_DELETE_FAILED = 'Failed to delete automation'
export const RULE_UPDATE_FAILED = FORM_TEXTS.updateFailed
export const IMPORT_FAILED = 'Import failed'
/** Title and text of the toast in one string. */
const COPY_FAILED = 'Copy failed: Failed to copy automation to clipboard'

export const GONE = 'This automation was deleted.'
export const TOO_MANY_RUNS = 'Too many runs. Try again in a minute.'
export const NOT_AN_ADMIN = 'Check Mode is for admins. Preview shows the same to everyone.'

export const NOTICE_DISMISSED: Flash = { kind: 'success', title: 'Notice dismissed' }
export const RULE_DELETED: Flash = { kind: 'success', title: 'Automation deleted' }
/** What a second press of Delete is told. */
export const RULE_DELETED_BEFORE: Flash = { ...RULE_DELETED, description: 'It was deleted already.' }
export const RULE_RESTORED: Flash = { kind: 'success', title: 'Automation restored' }
export const RULE_NOT_RESTORED = 'Failed to restore automation'
/** Its deletion is too long ago. */
export const UNDO_OVER = 'It was deleted a while ago.'
export const RULE_COPIED: Flash = { kind: 'success', title: 'Automation copied' }
export const URL_COPIED: Flash = { kind: 'success', title: 'Endpoint URL copied' }
export const NEW_URL: Flash = {
  kind: 'success',
  title: 'New address made',
  description: 'The old one no longer works. Give the new one to the system that calls it.',
}
export const TEMPLATE_LOADED: Flash = {
  kind: 'success',
  title: 'Template loaded',
  description: 'Fill in what is open, then press Create Automation.',
}
export const RULE_IMPORTED: Flash = {
  kind: 'success',
  title: 'Automation imported',
  description: 'Check it, then press Create Automation. It starts switched off.',
}

/** The pasted copy did not name its object. */
export const RULE_IMPORTED_OPEN: Flash = {
  kind: 'success',
  title: 'Automation imported',
  description: 'The copy does not say which records start it. Choose them under Webhook Subscription.',
}

/** Several imported rules are stored directly, each switched off. */
export function importedFlash(count: number): Flash {
  return {
    kind: 'success',
    title: `${count} automations imported`,
    description: 'Each is switched off. Check it, then switch it on.',
  }
}

export function failed(title: string, why: string): Flash {
  return { kind: 'error', title, description: why }
}

/** `warning`: a remaining problem although the change is stored. */
export function switchedFlash(active: boolean, warning: string | null): Flash {
  const what = active ? 'It is on.' : 'It is off. Nothing starts until you switch it on.'
  return { kind: 'success', title: FORM_TEXTS.updated, description: warning ?? what }
}

/** Result of "Run Now". */
export function ranFlash(ran: RanNowFacts): Flash {
  const words = ranNowText(ran)
  const only = ran.started === 1 ? ran.executions[0] : undefined
  if (only?.executionStatus === 'failure') {
    return failed(RULE_RUN_FAILED, only.errorMessage ?? 'No action could be done. The logs say why.')
  }
  if (only?.executionStatus === 'partial') return { kind: 'error', title: words, description: didText([only], 1) }
  if (only?.outcome === 'nothing') {
    const why = only.actionsExecuted.map(({ result }) => result.message).find((message) => message !== '')
    return { kind: 'info', title: RAN, description: `Skipped: ${why ?? 'there was nothing to do.'}` }
  }
  if (only?.executionStatus === 'success') return { kind: 'success', title: words, description: didText([only], 1) }
  if (only?.state === 'held') return { kind: 'info', title: 'Automation started', description: WAITS_FOR_YES }
  if (only?.executionStatus === null && only.reason !== null) {
    return { kind: 'info', title: isHeldBack(only) ? NOT_RUN_YET : 'Automation started', description: only.reason }
  }
  if (ran.started > 1 && !ran.executions.some(isHeldBack)) {
    return { kind: 'success', title: RAN, description: didText(ran.executions, ran.started) }
  }
  return { kind: 'info', title: words }
}

const WAITS_FOR_YES = 'Waiting for your approval.'

/** The line of a card that shows what its buttons did: those below, or the switch in its head. */
export function cardPlace(id: number, part: 'buttons' | 'switch' = 'buttons'): string {
  return `${ruleAnchor(id)}-${part}`
}

export interface ListTrouble {
  words: string
  /** The platform's own message, or ours; '' when signing in again would not help. */
  said: string
}

/** Explains why the lists of jobs and queues are empty. */
export function listTrouble(message: string, limited: boolean): ListTrouble {
  if (limited) return { words: message, said: '' }
  const isScope = /insufficient_scope|read_job_queues/.test(message)
  return { words: isScope ? UPDATED_PERMISSIONS : AUTHENTICATE_FOR_LISTS, said: message }
}

export function copyFailedFlash(): Flash {
  const [title = '', why = ''] = COPY_FAILED.split(': ')
  return failed(title, why)
}

/** How to resume a paused rule: `connection` = sign in again, then it resumes on its own; else a person restarts it. */
export function pauseHelp(endsByItself: boolean): { kind: 'connection' | 'person'; text: string } {
  return endsByItself
    ? { kind: 'connection', text: 'It resumes automatically when ServiceM8 accepts our calls again.' }
    : { kind: 'person', text: 'Check what starts it, then start it again.' }
}

export const PREPARING = 'Getting ready. It starts in a moment.'
