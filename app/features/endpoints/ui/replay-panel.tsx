import { Form, useLocation } from '@remix-run/react'
import { Send } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { plural } from '#app/domain/time/moments.ts'
import { hostOf } from '#app/lib/url.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { SelectField } from '#app/ui/form/select.tsx'
import { HiddenFields, useIsSending } from '#app/ui/form/sent-values.tsx'
import { TextField } from '#app/ui/form/text-input.tsx'
import { useZone } from '#app/ui/time/time.tsx'
import { countSentence, type ReplayPanelData } from '../controls/replay-text.ts'
import { CardButton, type CardProps } from './card-button.tsx'
import { cardId, managerQuery, managerSearch } from './manager-address.ts'

/** "Send everything since …": choose, count, confirm. All steps except the last are plain URLs. */
export function ReplayPanel({ webhook, account, data }: CardProps & { data: ReplayPanelData }) {
  const { form, errors, count } = data
  const { pathname } = useLocation()
  const zone = useZone()
  const id = `replay-${webhook.id}`
  const asked = JSON.stringify(form)
  // A count is valid for the counted values only, not for later typing.
  const [edited, setEdited] = useState('')
  const counted = count !== null && edited !== asked
  const counting = useIsSending({ replay: String(webhook.id) })

  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    const first = (selector: string) => box.current?.querySelector<HTMLElement>(selector)
    const target = first('[aria-invalid]') ?? (count === null ? first('h4') : first('[data-count]'))
    target?.focus()
  }, [asked, count])

  return (
    <section ref={box} aria-labelledby={`${id}-title`} className="grid gap-4 rounded-control border border-line p-4">
      <div className="grid gap-1">
        <h4 id={`${id}-title`} tabIndex={-1} className="font-semibold">
          Send everything since …
        </h4>
        <p className="text-label text-ink-soft">
          Events are sent again to {hostOf(webhook.callbackUrl)}, oldest first and behind new ones. Your system knows a
          repeat by its webhook-id, which stays the same.
        </p>
      </div>
      <Form
        key={asked}
        method="get"
        action={`${pathname}#${cardId(webhook.id)}`}
        preventScrollReset
        className="grid items-start gap-4 sm:grid-cols-2"
        onChange={() => setEdited(asked)}
      >
        <HiddenFields values={managerQuery(account, { step: 'replay', webhookId: webhook.id, form: null })} />
        <TextField
          id={`${id}-since`}
          label="Since"
          hint={`Your account's time: ${zone.replaceAll('_', ' ')}.`}
          errors={errors.since}
          type="datetime-local"
          name="since"
          required
          defaultValue={form.since}
        />
        <SelectField
          id={`${id}-status`}
          label="Which events"
          name="status"
          defaultValue={form.status === 'all' ? 'all' : 'failed'}
        >
          <option value="failed">Only given up or stopped</option>
          <option value="all">All, delivered ones too</option>
        </SelectField>
        <div className="sm:col-span-2">
          <TextField
            id={`${id}-record`}
            label="Only one record (optional)"
            hint="The uuid of the record, as the activity shows it."
            errors={errors.objectUuid}
            name="objectUuid"
            defaultValue={form.objectUuid}
            autoComplete="off"
            maxLength={64}
          />
        </div>
        <div className="flex flex-wrap gap-2 sm:col-span-2">
          <Button
            type="submit"
            variant={counted && count > 0 ? 'secondary' : 'primary'}
            pending={counting}
            pendingLabel="Counting…"
          >
            {counted ? 'Count again' : 'Count events'}
          </Button>
          <ButtonLink to={`${managerSearch(account)}#${cardId(webhook.id)}`} preventScrollReset>
            Close
          </ButtonLink>
        </div>
      </Form>
      {counted ? (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3 border-line border-t pt-4">
          <p data-count tabIndex={-1} role="status" className="min-w-0 font-semibold">
            {countSentence(count, form.status === 'all' ? 'all' : 'failed', data.kept)}
          </p>
          {count > 0 ? (
            <CardButton
              intent="replay"
              webhookId={webhook.id}
              account={account}
              values={{ ...form }}
              variant="primary"
              icon={Send}
              pendingLabel="Starting…"
            >
              Send {plural(count, 'event')}
            </CardButton>
          ) : null}
        </div>
      ) : null}
    </section>
  )
}
