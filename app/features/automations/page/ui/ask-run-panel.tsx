import { Form } from '@remix-run/react'
import { Play, Search } from 'lucide-react'
import { useEffect, useRef } from 'react'
import {
  type AutomationAccount,
  automationAddress,
  automationQuery,
  ruleAnchor,
} from '#app/domain/automations/automation-address.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { TextField } from '#app/ui/form/text-input.tsx'
import { useHydrated } from '#app/ui/hydrated.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { PreviewBody } from '../../form/ui/preview-body.tsx'
import { ASK_FIELDS, type AskedRun } from '../../preview/ask-run.ts'
import type { PageResult } from '../act-on-rule.ts'
import { ActFields, RuleButton } from './rule-button.tsx'

const NOT_FOUND = 'Which record?'

interface AskRunProps {
  result: Extract<PageResult, { kind: 'ask_run' }>
  account: AutomationAccount
}

/** Asks before customers get messages: recipients, texts, earlier messages. Works without scripts, as a page step. */
export function AskRunPanel({ result, account }: AskRunProps) {
  const { ruleId, asked } = result
  const heading = useRef<HTMLHeadingElement>(null)
  // Focus every new answer, also a second one for the same rule.
  useEffect(() => heading.current?.focus(), [result])
  const titleId = `ask-run-${ruleId}-title`
  return (
    <section
      aria-labelledby={titleId}
      className="grid min-w-0 grid-cols-1 gap-3 rounded-control border border-accent p-4"
    >
      <h4 id={titleId} ref={heading} tabIndex={-1} className="wrap-anywhere font-semibold">
        {asked.values === null ? NOT_FOUND : `Run for ${asked.about}?`}
      </h4>
      <p className="text-label">This press has sent nothing yet.</p>
      {asked.note === null ? null : <Notice tone="attention">{asked.note}</Notice>}
      {asked.handled === null ? null : <Notice tone="attention">{asked.handled} Run it again?</Notice>}
      {asked.runs.map((run, index) => (
        <div key={index} className="grid gap-3 border-line border-t pt-3 first-of-type:border-t-0 first-of-type:pt-0">
          <PreviewBody preview={run.preview} inHeading={asked.about} />
          <Got got={run.got} />
        </div>
      ))}
      {asked.more > 0 ? (
        <p className="text-label">
          And {asked.more === 1 ? '1 more run with texts' : `${asked.more} more runs, each with texts`} of its own.
        </p>
      ) : null}
      <div className="flex flex-wrap gap-2">
        {asked.values === null ? null : (
          <RuleButton
            act="run"
            values={asked.values}
            ruleId={ruleId}
            account={account}
            variant="primary"
            icon={Play}
            pendingLabel="Running…"
          >
            Run for real
          </RuleButton>
        )}
        {/* No anchor: without scripts, the browser would only jump within this page. */}
        <ButtonLink to={automationAddress(account)} preventScrollReset>
          Cancel
        </ButtonLink>
      </div>
      <OtherRecord ruleId={ruleId} asked={asked} account={account} />
    </section>
  )
}

function Got({ got }: Pick<AskedRun['runs'][number], 'got'>) {
  if (got.length === 0) return <p className="text-label text-ink-soft">No messages from automations to them so far.</p>
  return (
    <div className="text-label">
      <p className="font-medium">They already got:</p>
      <ul className="grid gap-1">
        {got.map(({ to, at, channel, automationName, runId }) => (
          <li key={`${runId} ${to} ${at}`} className="wrap-anywhere">
            <Time at={at} />: {channel === 'sms' ? 'a text' : 'an e-mail'} to {to} from “{automationName}”
          </li>
        ))}
      </ul>
    </div>
  )
}

function OtherRecord({ ruleId, asked, account }: { ruleId: number; asked: AskedRun; account: AutomationAccount }) {
  return (
    <details open={asked.search !== '' || undefined}>
      <summary className="inline-flex min-h-11 cursor-pointer items-center text-accent text-label underline-offset-4 hover:underline">
        Choose another record
      </summary>
      <div className="grid grid-cols-1 gap-3">
        <Form
          method="post"
          action={`?${new URLSearchParams(automationQuery(account))}${useHydrated() ? '' : `#${ruleAnchor(ruleId)}`}`}
          preventScrollReset
          className="flex flex-wrap items-end gap-2"
        >
          <ActFields account={account} values={{ act: 'run', id: String(ruleId) }} />
          <div className="min-w-0 flex-1">
            <TextField
              id={`ask-search-${ruleId}`}
              label="Job number or customer"
              type="search"
              name={ASK_FIELDS.search}
              defaultValue={asked.search}
              autoComplete="off"
            />
          </div>
          <Button type="submit" icon={Search}>
            Find
          </Button>
        </Form>
        <ul className="grid grid-cols-1 gap-1">
          {asked.choices.map(({ uuid, label, matches }) => (
            <li key={uuid}>
              <RuleButton
                act="run"
                values={{ recordUuid: uuid }}
                ruleId={ruleId}
                account={account}
                variant="quiet"
                className="-ml-4 max-w-full"
              >
                <span className="min-w-0 whitespace-normal text-left">
                  {label}
                  {matches ? '' : ' (conditions not met)'}
                </span>
              </RuleButton>
            </li>
          ))}
        </ul>
      </div>
    </details>
  )
}
