import { Form, useNavigation } from '@remix-run/react'
import { Search } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { type AccountLink, accountQuery } from '#app/domain/account-address.ts'
import { searchAddress } from '#app/domain/delivery-address.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { MoreFilters } from '#app/ui/disclosure.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { useFilledAfresh } from '#app/ui/form/filled-afresh.ts'
import { useSearchKey } from '#app/ui/form/search-key.ts'
import { SelectField } from '#app/ui/form/select.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import { TextField, TextInput } from '#app/ui/form/text-input.tsx'
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
  account: AccountLink
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
  const fieldOf = (name: SearchField): SearchFieldProps => ({
    id: `search-${name}`,
    name,
    defaultValue: form[name],
    errors: errors[name],
    ...(name === firstWrong ? { autoFocus: true } : {}),
  })
  const box = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (Object.keys(errors).length > 0) box.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [errors])
  const { turn, onSubmit } = useFilledAfresh(form, searchFormOf)
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
        <TextField
          {...fieldOf('id')}
          label="Search"
          ref={search}
          {...PLAIN_TEXT}
          type="search"
          placeholder="Job number, customer, id…"
          aria-keyshortcuts="/"
        />
        <div className="flex flex-wrap gap-2 sm:pt-[1.625rem]">
          <Button type="submit" variant="primary" icon={Search} pending={searching} pendingLabel="Looking…">
            Find
          </Button>
          {asksNothing(form) ? null : <ButtonLink to={searchAddress(account)}>Clear</ButtonLink>}
        </div>
      </div>
      <MoreFilters open={moreOpen}>
        <MoreFields choices={choices} fieldOf={fieldOf} />
      </MoreFilters>
    </Form>
  )
}

/** Turns off correction, because ids and names are not words. */
const PLAIN_TEXT = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, enterKeyHint: 'search' } as const

interface SearchFieldProps {
  id: string
  name: SearchField
  defaultValue: string
  errors: string[] | undefined
  autoFocus?: true
}

interface MoreFieldsProps extends Pick<SearchFieldsProps, 'choices'> {
  fieldOf: (name: SearchField) => SearchFieldProps
}

function MoreFields({ choices, fieldOf }: MoreFieldsProps) {
  const zone = useZone().replaceAll('_', ' ')
  return (
    <div className="grid items-start gap-4 rounded-card border border-line bg-surface p-4 sm:grid-cols-2 lg:grid-cols-4">
      <div className="sm:col-span-2">
        <SelectField {...fieldOf('webhook')} label="Webhook" none="Any webhook" options={choices.webhooks} />
      </div>
      <SuggestedField {...fieldOf('code')} label="Response code" hint="e.g. 404, 5xx, none" values={CODE_SUGGESTIONS} />
      <SelectField {...fieldOf('object')} label="Object" none="Any" options={choices.objects} />
      <TextField {...fieldOf('record')} label="Record" hint="Its id in ServiceM8." {...PLAIN_TEXT} />
      <SuggestedField {...fieldOf('field')} label="Changed field" hint="e.g. status" values={choices.fields} />
      <TextField {...fieldOf('from')} label="Received from" hint={`Time in ${zone}`} type="datetime-local" />
      <TextField {...fieldOf('until')} label="Received until" type="datetime-local" />
    </div>
  )
}

type SuggestedProps = SearchFieldProps & { label: string; hint: string; values: readonly string[] }

function SuggestedField({ id, label, hint, errors, values, ...input }: SuggestedProps) {
  return (
    <Field id={id} label={label} hint={hint} errors={errors}>
      {(control) => (
        <>
          <TextInput {...control} {...PLAIN_TEXT} {...input} list={`${id}s`} />
          <datalist id={`${id}s`}>
            {values.map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
