// What the buttons of the rule form ask for, as their `value` says it.
import { isActionType } from '#app/domain/automations/action-parameters.ts'
import { isPreviewKind, type PreviewKind, readRecordId } from './form-preview.ts'
import type { LineList } from './form-state.ts'

export type FormIntent =
  /** `place` = where on the form it was pressed; it stays open there. */
  | { kind: 'next'; place: string }
  /** `on` = switch the rule on with it. */
  | { kind: 'save'; on: boolean }
  | { kind: 'cancel' | 'discard' | 'add_condition' }
  /** Sends the text of one step of the preview to the person who presses. */
  | { kind: 'text_me'; place: number }
  /** Turns "Anything changes" into "its status changes". */
  | { kind: 'on_status' }
  | { kind: 'add_step'; type: string }
  | { kind: 'remove_condition' | 'remove_step' | 'up' | 'down'; key: string }
  | { kind: 'add_line'; key: string; list: LineList }
  | { kind: 'remove_line'; key: string; line: string }
  /** Previews the unsaved rule; `record` = the record to use, '' = the newest that matches. */
  | { kind: 'preview'; preview: PreviewKind; record: string }

/** Prefix of every `intent` that the form's buttons send. */
const FORM_INTENT = 'form.'

export function parseFormIntent(text: string): FormIntent | null {
  if (!text.startsWith(FORM_INTENT)) return null
  const [kind = '', key = '', more = ''] = text.slice(FORM_INTENT.length).split(':')
  switch (kind) {
    case 'next':
      return { kind, place: /^[\w.]{1,40}$/.test(key) ? key : '' }
    case 'save':
      return { kind, on: key === 'on' }
    case 'cancel':
    case 'discard':
    case 'add_condition':
    case 'on_status':
      return { kind }
    case 'text_me':
      return /^\d{1,2}$/.test(key) ? { kind, place: Number(key) } : null
    case 'add_step':
      return { kind, type: isActionType(key) ? key : 'update_job_status' }
    case 'remove_condition':
    case 'remove_step':
    case 'up':
    case 'down':
      return { kind, key }
    case 'add_line':
      return more === 'materials' || more === 'material_bundles' ? { kind, key, list: more } : null
    case 'remove_line':
      return { kind, key, line: more }
    case 'preview':
      return isPreviewKind(key) ? { kind, preview: key, record: readRecordId(more) } : null
    default:
      return null
  }
}
