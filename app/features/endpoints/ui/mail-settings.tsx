import { Form } from '@remix-run/react'
import { CircleAlert, ExternalLink } from 'lucide-react'
import { signInAddress } from '#app/lib/sign-in-address.ts'
import { Button } from '#app/ui/button.tsx'
import { ClosedSection } from '#app/ui/card.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { MailSettingsView } from '../notices/notice-view.ts'
import { useAccountNews } from './account-news.tsx'
import { CardFields } from './card-button.tsx'
import type { FormResult } from './form/form-result.ts'
import type { ManagerAccount } from './manager-address.ts'

interface MailSettingsProps {
  account: ManagerAccount
  /** The refusal of the last submitted form, whichever it was. */
  result: FormResult | undefined
}

/** The setting whether notices are mailed, and to which address. */
export function MailSettings(props: MailSettingsProps) {
  const mail = useAccountNews()?.mail
  return mail ? <MailForm mail={mail} {...props} /> : null
}

function MailForm({ mail, account, result }: MailSettingsProps & { mail: MailSettingsView }) {
  const refused = result?.values.intent === 'mail_settings' ? result : null
  const sending = useIsSending({ intent: 'mail_settings' })
  const email = refused ? (refused.values.email ?? '') : mail.email
  const byMail = refused ? refused.values.byMail === 'yes' : mail.byMail
  return (
    <ClosedSection
      id="mail"
      title="Notices by e-mail"
      open={refused !== null || (mail.byMail && mail.problem !== null)}
    >
      {/* Remounts with the saved values, or with the typed ones. */}
      <Form method="post" preventScrollReset key={`${byMail}|${email}`} className="grid gap-3">
        <CardFields account={account} values={{ intent: 'mail_settings' }} />
        <Checkbox name="byMail" value="yes" defaultChecked={byMail}>
          Tell me by e-mail when a webhook stops working
        </Checkbox>
        <Field
          id="notice-email"
          label="E-mail address"
          hint="Up to 5 a day. Empty: the address of your ServiceM8 account."
          {...(refused?.fieldErrors.email ? { errors: refused.fieldErrors.email } : {})}
        >
          {(control) => (
            <TextInput
              {...control}
              name="email"
              type="email"
              autoComplete="email"
              defaultValue={email}
              autoFocus={refused !== null}
            />
          )}
        </Field>
        {mail.byMail && mail.problem !== null ? <Problem problem={mail.problem} account={account} /> : null}
        <div>
          <Button type="submit" pending={sending} pendingLabel="Saving…" aria-label="Save: notices by e-mail">
            Save
          </Button>
        </div>
      </Form>
    </ClosedSection>
  )
}

function Problem({ problem, account }: { problem: string; account: ManagerAccount }) {
  return (
    <div className="flex items-start gap-2.5 rounded-control bg-attention-soft px-3.5 py-2 text-attention text-label">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 wrap-anywhere">
        <p>{problem}</p>
        <a
          href={signInAddress(account.accountUUID)}
          target="_blank"
          rel="noopener"
          className="inline-flex min-h-11 items-center gap-1.5 font-semibold underline underline-offset-4"
        >
          Sign in again
          <ExternalLink aria-hidden className="size-4" />
          <VisuallyHidden>to allow e-mails (opens in a new tab)</VisuallyHidden>
        </a>
      </div>
    </div>
  )
}
