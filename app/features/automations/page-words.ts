// What the automations page says: its toasts, its refusals, and why something cannot be shown.
import type { Flash } from '../../lib/flash.ts'
import type { Execution } from './run-history.ts'
import { ranNowWords } from './run-now-words.ts'
import { isConnectionPause } from './run-words.ts'

export const AUTHENTICATE_TO_MANAGE =
  'Authentication Required: Please authenticate with the platform to manage automations.'

/** In the API test and on the gate the words stand in one line; here the title is set apart. */
export const UPDATED_PERMISSIONS = {
  title: 'Updated Permissions Required.',
  text: "Your OAuth token needs updated permissions. Please click 'Reconnect' in the Webhook Manager to get new permissions for job queues access.",
} as const
export const AUTHENTICATE_FOR_LISTS = {
  title: 'Authentication Required:',
  text: 'Please authenticate with the platform first to access jobs and queues data.',
} as const

export const RULES_NOT_FETCHED = 'Failed to fetch automations'
export const LOGS_NOT_FETCHED = 'Failed to fetch logs'
export const RULE_RUN_FAILED = 'Failed to run automation'
export const RULE_DELETE_FAILED = 'Failed to delete automation'
export const RULE_UPDATE_FAILED = 'Error updating automation'
export const RULE_UPDATE_DEFAULT = 'Failed to update automation'
export const RULE_CREATE_FAILED = 'Failed to create automation'
export const IMPORT_FAILED = 'Import failed'
export const COPY_FAILED = 'Copy failed'
export const NOT_COPIED = 'Failed to copy automation to clipboard'

export const GONE = 'It is not there any more. Somebody may have deleted it.'
export const TOO_MANY_RUNS = 'That were many runs within a minute. Please wait a moment and try again.'
export const NOT_AN_ADMIN = 'Check Mode is for admins. Preview shows the same to everyone.'

export const RULE_CREATED: Flash = { kind: 'success', title: 'Automation created' }
export const RULE_UPDATED: Flash = { kind: 'success', title: 'Automation updated' }
export const RULE_DELETED: Flash = { kind: 'success', title: 'Automation deleted' }
export const RULE_COPIED: Flash = { kind: 'success', title: 'Automation copied' }
export const URL_COPIED: Flash = { kind: 'success', title: 'Endpoint URL copied' }
export const NEW_URL: Flash = {
  kind: 'success',
  title: 'New address made',
  description: 'The old one no longer works. Give the new one to whoever calls it.',
}
export const TEMPLATE_LOADED: Flash = {
  kind: 'success',
  title: 'Template loaded',
  description: 'Look it over, fill in what is open, and create it.',
}
export const RULE_IMPORTED: Flash = {
  kind: 'success',
  title: 'Automation imported',
  description: 'Look it over and create it. It starts switched off.',
}

/** Several at once are stored at once, each switched off. */
export function importedFlash(count: number): Flash {
  return {
    kind: 'success',
    title: `${count} automations imported`,
    description: 'Each is switched off. Look at it, then switch it on.',
  }
}

export function failed(title: string, why: string): Flash {
  return { kind: 'error', title, description: why }
}

/** `warning`: what is still in the way although it is stored. */
export function switchedFlash(active: boolean, warning: string | null): Flash {
  const what = active ? 'It is on.' : 'It is off. Nothing starts until you switch it on.'
  return { kind: 'success', title: RULE_UPDATED.title, description: warning ?? what }
}

/** After "Run Now". */
export function ranFlash(ran: { executions: readonly Execution[]; started: number; doneBefore: number }): Flash {
  const words = ranNowWords(ran)
  const only = ran.started === 1 ? ran.executions[0] : undefined
  if (only?.executionStatus === 'failure') {
    return failed(RULE_RUN_FAILED, only.errorMessage ?? 'No action could be done. The logs say why.')
  }
  if (only?.executionStatus === 'partial') return { kind: 'error', title: words, description: 'The logs say what was done.' }
  if (only?.executionStatus === 'success') return { kind: 'success', title: words }
  return { kind: 'info', title: words }
}

export type ListTrouble = { title: string; text: string; said: string }

/** Why the lists of jobs and queues are empty; `message` = the platform's own, or ours. */
export function listTrouble(message: string): ListTrouble {
  const words = /insufficient_scope|read_job_queues/.test(message) ? UPDATED_PERMISSIONS : AUTHENTICATE_FOR_LISTS
  return { ...words, said: message }
}

/** What a paused rule needs: `connection` = signing in again, and it goes on by itself; else a person starts it again. */
export function pauseHelp(reason: string): { kind: 'connection' | 'person'; text: string } {
  return isConnectionPause(reason)
    ? { kind: 'connection', text: 'It goes on by itself as soon as ServiceM8 accepts our calls again.' }
    : { kind: 'person', text: 'When you have put right what made it stop, start it again.' }
}

export const PREPARING =
  'Preparing: Fieldhook is noting what is there already, so that only what happens from now on sets it off. Until that is done it does nothing.'
