import { Form, useNavigation } from '@remix-run/react'
import { Search } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { accountQuery, type LinkAccount, searchAddress } from '#app/domain/delivery-address.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { MoreFilters } from '#app/ui/disclosure.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { useSearchKey } from '#app/ui/form/search-key.ts'
import { Select } from '#app/ui/form/select.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { useZone } from '#app/ui/time/time.tsx'
import {
  asksNothing,
  CODE_SUGGESTIONS,
  dayAsked,
  SEARCH_FIELDS,
  type SearchChoices,
  type SearchField,
  type SearchForm,
  searchFormOf,
} from '../search-view.ts'

export interface SearchFieldsProps {
  account: LinkAccount
  choices: SearchChoices
  /** As typed. */
  form: SearchForm
  /** The fields that cannot be parsed, with their errors. */
  errors: Record<string, string[]>
}

/** The less common filters, collapsed until one is set. */
const MORE: readonly SearchField[] = ['webhook', 'code', 'object', 'record', 'field', 'from', 'until']

/** A form that requests the page with another URL, with or without scripts. */
export function SearchFields({ account, choices, form, errors }: SearchFieldsProps) {
  const { state, location } = useNavigation()
  const searching = state === 'loading' && location?.pathname === '/deliveries'
  // The bars show a whole day.
  const shown = dayAsked(form) === null ? form : { ...form, from: '', until: '' }
  const moreOpen = MORE.some((name) => shown[name] !== '' || errors[name])
  // The field to focus when the page opens with a refusal, with or without scripts.
  const firstWrong = SEARCH_FIELDS.find((name) => errors[name])
  const focusOf = (name: SearchField) => (name === firstWrong ? { autoFocus: true } : {})
  const box = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (Object.keys(errors).length > 0) box.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [errors])
  const { turn, onSubmit } = useFilledAfresh(form)
  const search = useSearchKey()
  return (
    <Form
      ref={box}
      key={turn}
      method="get"
      action="/deliveries"
      onSubmit={onSubmit}
      className="grid gap-1"
      role="search"
    >
      <HiddenFields values={{ ...accountQuery(account), status: form.status }} />
      <div className="grid items-start gap-2 sm:grid-cols-[minmax(0,1fr)_auto]">
        <Field id="search-id" label="Search" errors={errors.id}>
          {(control) => (
            <TextInput
              {...control}
              ref={search}
              {...PLAIN_TEXT}
              {...focusOf('id')}
              type="search"
              name="id"
              defaultValue={form.id}
              placeholder="Job number, customer, id…"
              aria-keyshortcuts="/"
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-2 sm:pt-[1.625rem]">
          <Button type="submit" variant="primary" icon={Search} pending={searching} pendingLabel="Looking…">
            Find
          </Button>
          {asksNothing(form) ? null : <ButtonLink to={searchAddress(account)}>Clear</ButtonLink>}
        </div>
      </div>
      <MoreFilters open={moreOpen}>
        <MoreFields choices={choices} form={form} errors={errors} focusOf={focusOf} />
      </MoreFilters>
    </Form>
  )
}

/**
 * Resets the form on a new URL, except when that URL comes from submitting the form: then later typing stays. Use
 * `turn` as the form's key.
 */
function useFilledAfresh(form: SearchForm) {
  const asked = JSON.stringify(form)
  const [shown, setShown] = useState({ asked, turn: 0 })
  const sent = useRef<string | null>(null)
  if (shown.asked !== asked) setShown({ asked, turn: asked === sent.current ? shown.turn : shown.turn + 1 })
  useEffect(() => {
    if (asked === sent.current) sent.current = null
  }, [asked])
  function onSubmit(event: FormEvent<HTMLFormElement>) {
    const typed = new URLSearchParams()
    for (const [name, value] of new FormData(event.currentTarget)) typed.append(name, String(value))
    sent.current = JSON.stringify(searchFormOf(typed))
  }
  return { turn: shown.turn, onSubmit }
}

/** Turns off correction, because ids and names are not words. */
const PLAIN_TEXT = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, enterKeyHint: 'search' } as const

interface MoreFieldsProps extends Omit<SearchFieldsProps, 'account'> {
  focusOf: (name: SearchField) => { autoFocus?: boolean }
}

function MoreFields({ choices, form, errors, focusOf }: MoreFieldsProps) {
  const zone = useZone().replaceAll('_', ' ')
  return (
    <div className="grid items-start gap-4 rounded-card border border-line bg-surface p-4 sm:grid-cols-2 lg:grid-cols-4">
      <div className="sm:col-span-2">
        <Field id="search-webhook" label="Webhook" errors={errors.webhook}>
          {(control) => (
            <Select
              {...control}
              {...focusOf('webhook')}
              name="webhook"
              defaultValue={form.webhook}
              none="Any webhook"
              options={choices.webhooks}
            />
          )}
        </Field>
      </div>
      <Field id="search-code" label="Response code" hint="e.g. 404, 5xx, none" errors={errors.code}>
        {(control) => (
          <>
            <TextInput
              {...control}
              {...PLAIN_TEXT}
              {...focusOf('code')}
              name="code"
              defaultValue={form.code}
              list="search-codes"
            />
            <datalist id="search-codes">
              {CODE_SUGGESTIONS.map((code) => (
                <option key={code} value={code} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field id="search-object" label="Object" errors={errors.object}>
        {(control) => (
          <Select {...control} {...focusOf('object')} name="object" defaultValue={form.object}>
            <option value="">Any</option>
            {choices.objects.map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id="search-record" label="Record" hint="Its id in ServiceM8." errors={errors.record}>
        {(control) => (
          <TextInput {...control} {...PLAIN_TEXT} {...focusOf('record')} name="record" defaultValue={form.record} />
        )}
      </Field>
      <Field id="search-field" label="Changed field" hint="e.g. status" errors={errors.field}>
        {(control) => (
          <>
            <TextInput
              {...control}
              {...PLAIN_TEXT}
              {...focusOf('field')}
              name="field"
              defaultValue={form.field}
              list="search-fields"
            />
            <datalist id="search-fields">
              {choices.fields.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field id="search-from" label="Received from" hint={`Time in ${zone}`} errors={errors.from}>
        {(control) => (
          <TextInput {...control} {...focusOf('from')} type="datetime-local" name="from" defaultValue={form.from} />
        )}
      </Field>
      <Field id="search-until" label="Received until" errors={errors.until}>
        {(control) => (
          <TextInput {...control} {...focusOf('until')} type="datetime-local" name="until" defaultValue={form.until} />
        )}
      </Field>
    </div>
  )
}
