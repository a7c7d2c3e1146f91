import { Form, useNavigation } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import type { AutomationSettings } from '#app/domain/automations/account-guards.ts'
import { Button } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { useKeptFields } from '#app/ui/form/kept-fields.tsx'
import { SelectField } from '#app/ui/form/select.tsx'
import { TextField } from '#app/ui/form/text-input.tsx'
import { UNREACHED, useUnreached } from '#app/ui/form/unreached.tsx'
import { UnsavedChanges } from '#app/ui/form/unsaved-changes.tsx'
import { Notice } from '#app/ui/notice.tsx'
import type { QuietChoice, SettingsErrors, SettingsForm } from '../automation-settings.ts'

export interface SettingsFormProps {
  /** Of `ownerOf`. */
  account: string
  /** As saved. */
  saved: SettingsForm
  /** Input that was rejected, and what was saved then. */
  refused: { form: SettingsForm; opened: SettingsForm; errors: SettingsErrors } | null
  defaults: AutomationSettings
  senders: { outcome: 'ok'; staff: { uuid: string; label: string }[] } | { outcome: 'unknown'; message: string }
  /** IANA zone of the account; the times of day use it. */
  zone: string
}

const QUIET_CHOICES: readonly { value: QuietChoice; label: string; hint: string }[] = [
  { value: 'all', label: 'For all automations', hint: 'Whatever their own option says.' },
  {
    value: 'asked',
    label: 'Only for automations that ask for them',
    hint: '“Respect quiet hours” is in each automation, under Advanced.',
  },
  { value: 'none', label: 'No quiet hours', hint: 'Messages go out at any time.' },
]

/** Uncontrolled fields: the browser keeps the input, the server validates it. */
export function SettingsFormCard({ account, saved, refused, defaults, senders, zone }: SettingsFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const save = useRef<HTMLButtonElement>(null)
  const shown = refused?.form ?? saved
  const errors = refused?.errors ?? {}
  const { state, formData } = useNavigation()
  const pending = state !== 'idle' && formData?.get('act') === 'save'
  const lost = useUnreached()?.result.values.act === 'save'
  const { keep, forget } = useKeptFields({
    form,
    account,
    saved: { ...saved, quietWeekends: saved.quietWeekends ? 'true' : '' },
    sending: pending,
    refused: refused !== null || lost,
  })
  const first = Object.keys(shown).find((name) => Object.hasOwn(errors, name))
  // With scripts the page is not reloaded, so the browser's `autofocus` has no effect.
  useEffect(() => {
    if (refused) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refused])

  const input = (name: TextName, label: string, words: string, more: ControlKind) => (
    <TextField
      id={`settings-${name}`}
      label={label}
      hint={hintOf(words, saved[name], defaults[name])}
      errors={errors[name]}
      {...more}
      name={name}
      defaultValue={shown[name]}
      autoComplete="off"
      autoFocus={first === name}
    />
  )

  return (
    <Form
      method="post"
      id="automation-settings"
      ref={form}
      onInput={keep}
      noValidate
      preventScrollReset
      className="grid min-w-0 gap-5"
    >
      <input type="hidden" name="act" value="save" />
      <input type="hidden" name="opened" value={JSON.stringify(refused?.opened ?? saved)} />
      {/* After a save, resets the fields to the saved values; the button keeps its focus. */}
      <div key={JSON.stringify(saved)} className="grid gap-5">
        <CardSection id="quiet" title="Quiet hours">
          <div className="grid gap-4">
            <p className="max-w-prose text-label">
              Messages to customers wait until quiet hours end. Times are in {zone}. Staff messages and changes in
              ServiceM8 do not wait.
            </p>
            <QuietChoices chosen={shown.quiet} />
            <div className="grid items-start gap-4 sm:grid-cols-2">
              {input('quietFrom', 'From', '', TIME)}
              {input('quietTo', 'Until', 'May be the next morning.', TIME)}
            </div>
            <Checkbox name="quietWeekends" value="true" defaultChecked={shown.quietWeekends}>
              Saturday and Sunday all day, too
            </Checkbox>
          </div>
        </CardSection>
        <CardSection id="limits" title="Message limits">
          <div className="grid items-start gap-4 sm:grid-cols-2">
            {input(
              'customerCooldownDays',
              'Days between messages to one number or e-mail',
              'Across all automations. 0 = no limit. Texts and e-mails count apart. A message that comes sooner is skipped.',
              NUMBER,
            )}
            {input(
              'floodPerHour',
              'Ask me above this many an hour',
              'For each automation. The rest waits for you in History.',
              NUMBER,
            )}
            {input(
              'ruleDailyCap',
              'Most customer messages a day, one automation',
              'The rest waits for you in History. An automation may set its own.',
              NUMBER,
            )}
            {input(
              'accountDailyCap',
              'Most customer messages a day, all together',
              'The rest waits for you in History.',
              NUMBER,
            )}
          </div>
        </CardSection>
        <CardSection id="sender" title="Who it comes from">
          <div className="grid gap-4">
            {senders.outcome === 'ok' ? null : (
              <Notice tone="attention">
                We could not read your staff from ServiceM8
                {senders.message === '' ? '.' : `: ${senders.message}`} Your choice stays.
              </Notice>
            )}
            <SelectField
              id="settings-senderStaffUuid"
              label="Staff messages and e-mail signatures"
              hint="This person sends staff messages. Signed e-mails carry their signature."
              errors={errors.senderStaffUuid}
              name="senderStaffUuid"
              defaultValue={shown.senderStaffUuid}
              autoFocus={first === 'senderStaffUuid'}
              none="The first active staff member"
              options={senderOptions(senders, shown.senderStaffUuid).map(({ uuid, label }) => [uuid, label])}
            />
          </div>
        </CardSection>
      </div>
      {lost ? <Notice tone="failing">{UNREACHED}</Notice> : null}
      <div className="flex flex-wrap items-center gap-3">
        <Button ref={save} type="submit" variant="primary" pending={pending} pendingLabel="Saving…">
          Save settings
        </Button>
        <UnsavedChanges
          {...{ form, returnTo: save, onLeave: forget }}
          saved={JSON.stringify(saved)}
          refused={refused !== null || lost}
        />
      </div>
    </Form>
  )
}

/** A default is said where another value was saved. Undefined = nothing to say. */
function hintOf(words: string, saved: string, usual: string | number): string | undefined {
  const other = saved === String(usual) ? '' : `Default: ${usual}.`
  return [words, other].filter(Boolean).join(' ') || undefined
}

/** Numbers as text: invalid input has to reach the server, which explains the error. */
const NUMBER = { type: 'text', inputMode: 'numeric' } as const
const TIME = { type: 'time' } as const
type ControlKind = typeof NUMBER | typeof TIME

type TextName = Exclude<keyof SettingsForm, 'quiet' | 'quietWeekends' | 'senderStaffUuid'>

/** Keeps the chosen sender on the list, even when the name is unknown. */
function senderOptions(senders: SettingsFormProps['senders'], chosen: string): { uuid: string; label: string }[] {
  const staff = senders.outcome === 'ok' ? senders.staff : []
  if (chosen === '' || staff.some(({ uuid }) => uuid === chosen)) return staff
  const label = senders.outcome === 'ok' ? 'Someone who no longer works here' : 'As chosen before'
  return [...staff, { uuid: chosen, label }]
}

function QuietChoices({ chosen }: { chosen: QuietChoice }) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium text-label">Applies to</legend>
      {QUIET_CHOICES.map(({ value, label, hint }) => (
        <label
          key={value}
          className="flex min-h-11 items-center gap-2.5 rounded-control border border-line-strong px-3 py-2 text-label has-[input:checked]:border-accent has-[input:checked]:bg-accent-soft"
        >
          <input
            type="radio"
            name="quiet"
            value={value}
            defaultChecked={chosen === value}
            className="size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            <span className="font-medium">{label}</span>
            <span className="block text-dense text-ink-soft">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
