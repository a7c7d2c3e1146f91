import { describe, expect, test } from 'vitest'
import {
  applyChange,
  DEFAULT_SETTINGS,
  formOfSettings,
  readSettings,
  readSettingsForm,
  type SettingsForm,
  settingsFormOf,
} from './automation-settings.ts'
import { changeText, limitsLine, quietChoice, quietHint } from './settings-text.ts'

const TOM = '88888888-0000-4000-8000-00000000000b'
const FORM: SettingsForm = formOfSettings(DEFAULT_SETTINGS, 'asked')

const errorsOf = (change: Partial<SettingsForm>) => {
  const read = readSettingsForm({ ...FORM, ...change })
  return read.outcome === 'invalid' ? read.errors : null
}

describe('the form', () => {
  test('as it is opened, it saves what it shows', () => {
    const settings = {
      ...DEFAULT_SETTINGS,
      quietFrom: '21:30',
      quietWeekends: true,
      floodPerHour: 9,
      senderStaffUuid: TOM,
    }
    const read = readSettingsForm(formOfSettings(settings, quietChoice(settings)))
    expect(read).toEqual({ outcome: 'read', change: settings })
  })

  test('without quiet hours their times are not looked at, and the usual ones are offered next time', () => {
    const read = readSettingsForm({ ...FORM, quiet: 'none', quietFrom: 'whenever', quietWeekends: true })
    if (read.outcome !== 'read') throw new Error('it was refused')
    const saved = applyChange(DEFAULT_SETTINGS, read.change)
    expect(quietChoice(saved)).toBe('none')
    expect(formOfSettings(saved, 'none')).toMatchObject({ quietFrom: '20:00', quietTo: '08:00', quietWeekends: false })
  })

  test('an empty number is its default, and everything that cannot be is said beside its field', () => {
    const empty = readSettingsForm({ ...FORM, customerCooldownDays: '', ruleDailyCap: '' })
    expect(empty).toMatchObject({ outcome: 'read', change: { customerCooldownDays: 0, ruleDailyCap: 500 } })
    expect(errorsOf({ quietFrom: '9 pm', floodPerHour: '0', accountDailyCap: 'many', ruleDailyCap: '2.5' })).toEqual({
      quietFrom: ['Enter the time as HH:MM, for example 20:00.'],
      floodPerHour: ['Enter at least 1.'],
      accountDailyCap: ['Enter a number.'],
      ruleDailyCap: ['Enter a whole number.'],
    })
    expect(errorsOf({ quietFrom: '08:00' })).toEqual({
      quietTo: ['Choose an end that differs from the start, or "No quiet hours".'],
    })
    expect(errorsOf({ quietFrom: '08:00', quietWeekends: true })).toBeNull()
  })

  test('a number is read as people write it', () => {
    const read = readSettingsForm({ ...FORM, accountDailyCap: '1,000', ruleDailyCap: '12,500', floodPerHour: '250' })
    expect(read).toMatchObject({ change: { accountDailyCap: 1000, ruleDailyCap: 12_500, floodPerHour: 250 } })
  })

  test('reads what a browser sends, and nothing else', () => {
    const sent = new URLSearchParams({ quiet: 'all', quietFrom: ' 20:00 ', quietWeekends: 'true', surprise: '1' })
    expect(settingsFormOf(sent)).toMatchObject({ quiet: 'all', quietFrom: '20:00', quietWeekends: true, quietTo: '' })
    expect(settingsFormOf(new URLSearchParams({ quiet: 'never' })).quiet).toBe('asked')
  })
})

test('what is stored and cannot be read is the default', () => {
  expect(readSettings(null)).toEqual(DEFAULT_SETTINGS)
  expect(readSettings({ senderStaffUuid: '__proto__', quietFrom: 5, floodPerHour: 7 })).toEqual({
    ...DEFAULT_SETTINGS,
    floodPerHour: 7,
  })
  expect(readSettings({ senderStaffUuid: TOM, mutes: {} })).toEqual({ ...DEFAULT_SETTINGS, senderStaffUuid: TOM })
})

describe('in words', () => {
  test('one line says which limits are on', () => {
    expect(limitsLine(DEFAULT_SETTINGS, DEFAULT_SETTINGS, [])).toBe('Quiet hours: 20:00–08:00 where asked.')
    const settings = {
      ...DEFAULT_SETTINGS,
      quietForAll: true,
      quietTo: '07:00',
      customerCooldownDays: 1,
      floodPerHour: 20,
    }
    expect(limitsLine(settings, DEFAULT_SETTINGS, [{ kind: 'company' }, { kind: 'company' }, { kind: 'job' }])).toBe(
      'Your limits: quiet hours 20:00 to 07:00, for all automations; at least 1 day between messages to one number or e-mail; 20 messages to customers an hour before you are asked; no messages to 2 customers; no messages about 1 job.',
    )
    const none = { ...DEFAULT_SETTINGS, quietFrom: '00:00', quietTo: '00:00' }
    expect(limitsLine(none, DEFAULT_SETTINGS, [])).toBe('Your limits: no quiet hours.')
    expect(limitsLine({ ...none, quietWeekends: true }, DEFAULT_SETTINGS, [{ kind: 'company' }])).toBe(
      'Your limits: quiet hours all Saturday and Sunday, for automations that ask for them; no messages to 1 customer.',
    )
    // The usual quiet hours are on just the same.
    expect(limitsLine({ ...DEFAULT_SETTINGS, customerCooldownDays: 3 }, DEFAULT_SETTINGS, [])).toBe(
      'Your limits: quiet hours 20:00 to 08:00, for automations that ask for them; at least 3 days between messages to one number or e-mail.',
    )
  })

  test('a rule’s own option says what it comes to', () => {
    expect(quietHint(DEFAULT_SETTINGS).words).toBe(
      'Messages to customers wait until your quiet hours (20:00 to 08:00) are over.',
    )
    expect(quietHint({ ...DEFAULT_SETTINGS, quietForAll: true }).words).toContain('hold for all automations already')
    expect(quietHint({ ...DEFAULT_SETTINGS, quietTo: '20:00' })).toEqual({
      words: 'No quiet hours are set, so this changes nothing.',
      link: 'Set quiet hours',
    })
  })

  test('a change names what is other than before', () => {
    expect(changeText(DEFAULT_SETTINGS, DEFAULT_SETTINGS, null)).toBe('')
    const after = { ...DEFAULT_SETTINGS, ruleDailyCap: 1, senderStaffUuid: TOM }
    expect(changeText(DEFAULT_SETTINGS, after, 'Tom Finch')).toBe(
      'Set: at most 1 message to customers a day from one automation; staff messages and signatures from Tom Finch.',
    )
    expect(changeText(after, { ...after, senderStaffUuid: null }, null)).toBe(
      'Set: staff messages and signatures from the first active staff member.',
    )
  })
})
