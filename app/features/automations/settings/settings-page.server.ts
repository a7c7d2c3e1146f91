// The settings page: its data and its buttons.
import type { Flash } from '#app/lib/flash.ts'
import { isRecord, parseJson } from '#app/lib/json.ts'
import { actOnMute, listMutes } from '../history/mutes.server.ts'
import { changeSettings, listSenders, loadSettings, type SettingsApp } from './automation-settings.server.ts'
import {
  DEFAULT_SETTINGS,
  formOfSettings,
  readSettingsForm,
  type SettingsErrors,
  type SettingsForm,
  settingsFormOf,
} from './automation-settings.ts'
import { readMuteAct } from './mute.ts'
import { limitsLine, OTHERS_STAYED, quietChoice, SETTINGS_FLASHES } from './settings-text.ts'

/** Maximum number listed. */
const MOST_LISTED = 200

export async function loadSettingsPage(app: SettingsApp, accountUuid: string) {
  const [settings, senders, mutes, changes] = await Promise.all([
    loadSettings(app, accountUuid),
    listSenders(app, accountUuid),
    listMutes(app, accountUuid),
    app.store.runs.listGuardChanges(accountUuid),
  ])
  return {
    form: formOfSettings(settings, quietChoice(settings)),
    senders,
    mutes: mutes.slice(0, MOST_LISTED),
    /** Number beyond those listed. */
    moreMutes: Math.max(0, mutes.length - MOST_LISTED),
    /** Newest first. */
    changes,
  }
}

/** One line for the automations page. */
export async function loadLimitsLine(app: Pick<SettingsApp, 'store' | 'clock'>, accountUuid: string): Promise<string> {
  const [settings, mutes] = await Promise.all([loadSettings(app, accountUuid), listMutes(app, accountUuid)])
  return limitsLine(settings, DEFAULT_SETTINGS, mutes)
}

type SettingsActed =
  | { outcome: 'done'; flash: Flash }
  /** Redraw the form with the typed values among those of `opened`. */
  | { outcome: 'form'; form: SettingsForm; opened: SettingsForm; errors: SettingsErrors; flash: Flash }

/** `sent`: the form's fields and what it showed, `opened`; or `act` = `allow` with `mute`. `staffUuid` = who, if known. */
export async function actOnSettings(
  app: SettingsApp,
  accountUuid: string,
  sent: URLSearchParams,
  staffUuid: string | null,
): Promise<SettingsActed> {
  const act = readMuteAct(sent.get('act'))
  if (act !== null) return { outcome: 'done', flash: await actOnMute(app, accountUuid, act, sent, staffUuid) }
  const before = await loadSettings(app, accountUuid)
  const opened = formOfSettings(before, quietChoice(before))
  const typed = settingsFormOf(sent)
  const form = changedForm(typed, parseJson(sent.get('opened') ?? ''), opened)
  const flash = SETTINGS_FLASHES.wrong
  const wrong = (errors: SettingsErrors): SettingsActed => ({ outcome: 'form', form, opened, errors, flash })
  const read = readSettingsForm(form)
  if (read.outcome === 'invalid') return wrong(read.errors)
  const saved = await changeSettings(app, accountUuid, read.change, staffUuid, before)
  switch (saved.outcome) {
    case 'saved': {
      const told = SETTINGS_FLASHES[saved.changed ? 'saved' : 'unchanged']
      const stayed = Object.entries(typed).some(([name, value]) => value !== form[name as keyof SettingsForm])
      return { outcome: 'done', flash: stayed ? { ...told, kind: 'info', description: OTHERS_STAYED } : told }
    }
    case 'invalid':
      return wrong(saved.errors)
    case 'not_asked':
      return wrong({ senderStaffUuid: [saved.message] })
  }
}

/** Of a form, only what differs from what it showed: meanwhile, somebody else may have `saved` another part. */
function changedForm(sent: SettingsForm, opened: unknown, saved: SettingsForm): SettingsForm {
  if (!isRecord(opened)) return sent
  const changed = Object.entries(sent).filter(([name, value]) => value !== opened[name])
  return { ...saved, ...Object.fromEntries(changed) }
}
