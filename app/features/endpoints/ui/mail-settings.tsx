import { Form } from '@remix-run/react'
import { CircleAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import { MAIL_TOPICS, type MailTopic } from '#app/domain/notices/notice.ts'
import { topicField } from '#app/features/notices/mail-topics.ts'
import type { MailSettingsView } from '#app/features/notices/notice-view.ts'
import { Button } from '#app/ui/button.tsx'
import { ClosedSection } from '#app/ui/card.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { ownerOf } from '#app/ui/form/draft.ts'
import { Field } from '#app/ui/form/field.tsx'
import { useKeptFields } from '#app/ui/form/kept-fields.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { controlStyles, TextField } from '#app/ui/form/text-input.tsx'
import { UnsavedChanges } from '#app/ui/form/unsaved-changes.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { SignInLink } from '#app/ui/sign-in-again.tsx'
import type { FormResult } from '../form-result.ts'
import { useAccountNews } from './account-news.tsx'
import { CardFields } from './card-button.tsx'
import type { ManagerAccount } from './manager-address.ts'

interface MailSettingsProps {
  account: ManagerAccount
  /** The refusal of the last submitted form, whichever it was. */
  result: FormResult | undefined
}

/** The setting whether notices are mailed, and to which address. */
export function MailSettings(props: MailSettingsProps) {
  const mail = useAccountNews()?.mail
  return mail ? <MailForm key={props.account.accountUUID} mail={mail} {...props} /> : null
}

/** What may be kept off the e-mails, in the order of the form. */
const TOPICS: readonly [MailTopic, string][] = [
  ['failing', 'An automation fails or works again, or its messages do not arrive'],
  ['waiting', 'Runs wait for my decision'],
  ['silent', 'An automation is silent for unusually long'],
  ['account', 'Everything stands still: sign-in, permission or payment'],
  ['webhooks', 'A webhook fails or works again'],
]

function MailForm({ mail, account, result }: MailSettingsProps & { mail: MailSettingsView }) {
  const sending = useIsSending({ intent: 'mail_settings' })
  const refused = useRefusal(result?.values.intent === 'mail_settings' ? result : null, sending)
  const shown = shownChoice(mail, refused?.values ?? null)
  const opened = refused ? (refused.values.opened ?? '') : JSON.stringify(shown)
  const errors = refused?.fieldErrors ?? {}
  const form = useRef<HTMLFormElement>(null)
  const save = useRef<HTMLButtonElement>(null)
  const saved = textsOf(mail)
  const held = { form, refused: refused !== null }
  const { keep, forget } = useKeptFields({ ...held, account: ownerOf(account), saved, sending })
  return (
    <ClosedSection
      id="mail"
      title="Notices by e-mail"
      open={refused !== null || (mail.byMail && mail.problem !== null)}
    >
      {/* Remounts with the saved values, or with the typed ones. */}
      <Form
        method="post"
        id="mail-form"
        ref={form}
        onInput={keep}
        preventScrollReset
        key={JSON.stringify(shown)}
        className="grid gap-3"
      >
        <CardFields account={account} values={{ intent: 'mail_settings', all: 'yes', opened }} />
        <Checkbox name="byMail" value="yes" defaultChecked={shown.byMail}>
          Tell me by e-mail when something needs me
        </Checkbox>
        <TextField
          id="notice-email"
          label="E-mail address"
          hint="Up to 5 a day. Empty: the address of your ServiceM8 account."
          {...(errors.email ? { errors: errors.email } : {})}
          name="email"
          type="email"
          autoComplete="email"
          defaultValue={shown.email}
          autoFocus={errors.email !== undefined}
        />
        <fieldset className="grid gap-1">
          <legend className="mb-1 font-medium text-label">Tell me when</legend>
          {TOPICS.map(([topic, label]) => (
            <Checkbox
              key={topic}
              name={topicField(topic)}
              value="yes"
              defaultChecked={!shown.topicsOff.includes(topic)}
            >
              {label}
            </Checkbox>
          ))}
        </fieldset>
        <Checkbox name="weekly" value="yes" defaultChecked={shown.weekly}>
          One line every Monday: how the week went
        </Checkbox>
        <Checkbox name="holidaysOff" value="yes" defaultChecked={shown.holidaysOff}>
          Ignore silence over Christmas, New Year and Easter
        </Checkbox>
        <Field
          id="notice-closed"
          label="Days we are closed"
          hint="One line each, such as 2026-12-24 to 2027-01-03. We report no silence on these days."
          {...(errors.closedDays ? { errors: errors.closedDays } : {})}
        >
          {(control) => (
            <textarea
              {...control}
              name="closedDays"
              rows={2}
              defaultValue={shown.closedDays}
              {...(errors.closedDays && !errors.email && { autoFocus: true })}
              className={`${controlStyles({})} py-2`}
            />
          )}
        </Field>
        {mail.byMail && mail.problem !== null ? <Problem problem={mail.problem} account={account} /> : null}
        {refused?.formError ? <Notice tone="failing">{refused.formError}</Notice> : null}
        <div className="flex flex-wrap items-center gap-3">
          <Button
            ref={save}
            type="submit"
            pending={sending}
            pendingLabel="Saving…"
            aria-label="Save: notices by e-mail"
          >
            Save
          </Button>
          <UnsavedChanges {...held} returnTo={save} saved={JSON.stringify(shown)} onLeave={forget} />
        </div>
      </Form>
    </ClosedSection>
  )
}

/** What its fields say as it is saved; a box without its tick nothing. */
function textsOf({ email, closedDays, topicsOff, byMail, weekly, holidaysOff }: MailSettingsView) {
  const topics = MAIL_TOPICS.map((topic) => [topicField(topic), !topicsOff.includes(topic)] as const)
  const boxes = [...Object.entries({ byMail, weekly, holidaysOff }), ...topics]
  return { email, closedDays, ...Object.fromEntries(boxes.map(([name, ticked]) => [name, ticked ? 'yes' : ''])) }
}

/** The form's last refusal, until it is saved: a press elsewhere on the page answers for itself only. */
function useRefusal(refused: FormResult | null, sending: boolean): FormResult | null {
  const [held, setHeld] = useState(refused)
  const [wasSending, setWasSending] = useState(sending)
  if (sending !== wasSending) {
    setWasSending(sending)
    if (!sending) setHeld(refused)
  }
  return refused ?? held
}

/** The typed choice of a refused form, or the saved one. */
function shownChoice(mail: MailSettingsView, values: Record<string, string> | null) {
  const { byMail, email, topicsOff, weekly, holidaysOff, closedDays } = mail
  if (values === null) return { byMail, email, topicsOff, weekly, holidaysOff, closedDays }
  return {
    byMail: values.byMail === 'yes',
    email: values.email ?? '',
    topicsOff: MAIL_TOPICS.filter((topic) => values[topicField(topic)] !== 'yes'),
    weekly: values.weekly === 'yes',
    holidaysOff: values.holidaysOff === 'yes',
    closedDays: values.closedDays ?? '',
  }
}

function Problem({ problem, account }: { problem: string; account: ManagerAccount }) {
  return (
    <div className="flex items-start gap-2.5 rounded-control bg-attention-soft px-3.5 py-2 text-attention text-label">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 wrap-anywhere">
        <p>{problem}</p>
        <SignInLink accountUUID={account.accountUUID} note="to allow e-mails ">
          Sign in again
        </SignInLink>
      </div>
    </div>
  )
}
