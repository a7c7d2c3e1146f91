import { Form, useNavigation } from '@remix-run/react'
import { Search, SlidersHorizontal } from 'lucide-react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import { historyQuery, RUNS_PATH, runsAddress } from '#app/domain/automations/history-address.ts'
import { RUN_STATUSES } from '#app/domain/automations/run-record.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { useSearchKey } from '#app/ui/form/search-key.ts'
import { Select } from '#app/ui/form/select.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { asksNothingOfHistory, type HistoryField, type HistoryForm, STATUS_LABELS } from '../history-form.ts'

interface RunFilterProps {
  account: AutomationAccount
  form: HistoryForm
  errors: Record<string, string[]>
  rules: { id: number; name: string }[]
}

const MORE: readonly HistoryField[] = ['rule', 'status', 'from', 'until', 'record']

/** A GET form: the search is in the address, with or without scripts. */
export function RunFilter({ account, form, errors, rules }: RunFilterProps) {
  const { state, location } = useNavigation()
  const searching = state === 'loading' && location?.pathname === RUNS_PATH
  const box = useSearchKey()
  const isUnknownRule = form.rule !== '' && !rules.some((rule) => String(rule.id) === form.rule)
  return (
    <Form
      // Reset the fields when the address changes.
      key={JSON.stringify(form)}
      method="get"
      action={RUNS_PATH}
      role="search"
      aria-label="Runs"
      className="grid gap-1"
    >
      {Object.entries(historyQuery(account)).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={String(value)} />
      ))}
      <div className="grid items-start gap-2 sm:grid-cols-[minmax(0,1fr)_auto]">
        <Field id="runs-text" label="Search" errors={errors.text}>
          {(control) => (
            <TextInput
              {...control}
              ref={box}
              aria-keyshortcuts="/"
              type="search"
              name="text"
              defaultValue={form.text}
              autoComplete="off"
              placeholder="Job number, customer, words sent…"
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-2 sm:pt-[1.625rem]">
          <Button type="submit" variant="primary" icon={Search} pending={searching} pendingLabel="Looking…">
            Find
          </Button>
          {asksNothingOfHistory(form) ? null : <ButtonLink to={runsAddress(account)}>Clear</ButtonLink>}
        </div>
      </div>
      <Disclosure
        open={MORE.some(
          (name) => (form[name] !== '' && !(name === 'status' && form.status === 'needs_you')) || errors[name],
        )}
        summary={
          <span className="inline-flex items-center gap-1.5">
            <SlidersHorizontal aria-hidden className="size-4" />
            More filters
          </span>
        }
      >
        <div className="grid items-start gap-4 rounded-card border border-line bg-surface p-4 sm:grid-cols-2 lg:grid-cols-4">
          <Field id="runs-rule" label="Automation" errors={errors.rule}>
            {(control) => (
              <Select
                {...control}
                name="rule"
                defaultValue={form.rule}
                none="Any"
                options={rules.map(({ id, name }) => [id, name])}
              >
                {isUnknownRule ? <option value={form.rule}>A deleted automation</option> : null}
              </Select>
            )}
          </Field>
          <Field id="runs-status" label="Status" errors={errors.status}>
            {(control) => (
              <Select
                {...control}
                name="status"
                defaultValue={form.status}
                none="Any"
                options={[...RUN_STATUSES].reverse().map((status) => [status, STATUS_LABELS[status]])}
              />
            )}
          </Field>
          <Field id="runs-from" label="From day" errors={errors.from}>
            {(control) => <TextInput {...control} type="date" name="from" defaultValue={form.from} />}
          </Field>
          <Field id="runs-until" label="Until day" errors={errors.until}>
            {(control) => <TextInput {...control} type="date" name="until" defaultValue={form.until} />}
          </Field>
          <div className="sm:col-span-2">
            <Field id="runs-record" label="Record id" hint="Of a job or another record." errors={errors.record}>
              {(control) => (
                <TextInput
                  {...control}
                  code
                  name="record"
                  defaultValue={form.record}
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
            </Field>
          </div>
        </div>
      </Disclosure>
    </Form>
  )
}
