import { Form, Link, useLocation, useNavigation } from '@remix-run/react'
import { CircleSlash, type LucideIcon, OctagonAlert, ScrollText, SearchX } from 'lucide-react'
import { AUDIT_GROUPS, type AuditOutcome } from '#app/domain/audit.ts'
import { StatusPill, type Tone } from '#app/ui/badge.tsx'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { SelectField } from '#app/ui/form/select.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import { TextField } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { AUDIT_OUTCOMES, type AuditForm, type AuditLogView, asksNothingOfAudit, outcomeText } from '../audit.ts'

export interface AuditLogProps extends AuditLogView {
  /** The page's query without the filter, which its form carries along. */
  carried: Record<string, string>
  /** Returns the page's URL with this filter. */
  addressOf: (asked: Readonly<Record<string, string>>) => string
  /** Link to the other list, for an operator. */
  other: { to: string; label: string } | null
  /** The page of a run. */
  runTo: (run: number) => string
}

type Line = NonNullable<AuditLogProps['lines']>[number]

/** What was done needs no mark. */
const OUTCOMES: Record<Exclude<AuditOutcome, 'done'>, { tone: Tone; icon: LucideIcon }> = {
  refused: { tone: 'attention', icon: CircleSlash },
  failed: { tone: 'failing', icon: OctagonAlert },
}

/** Shows who did what, newest first. The URL holds all state, so that it works without scripts. */
export function AuditLog(props: AuditLogProps) {
  const { form, errors, lines, next, isOlder, everybody, other, addressOf, runTo } = props
  return (
    <CardSection
      id="audit"
      title={everybody ? 'All accounts, newest first' : 'Newest first'}
      action={
        other ? (
          <ButtonLink to={other.to} variant="quiet" preventScrollReset>
            {other.label}
          </ButtonLink>
        ) : null
      }
    >
      <div className="grid gap-4">
        <Filter {...props} />
        {errors.before ? (
          <Notice tone="failing" title="This page of the list does not exist">
            <p>The address was cut or changed. Press Find to begin with the newest.</p>
          </Notice>
        ) : null}
        {lines === null ? null : lines.length === 0 ? (
          <Nothing form={form} isOlder={isOlder} all={addressOf({})} />
        ) : (
          <ol aria-labelledby="audit-title" className="grid">
            {lines.map((line) => (
              <Entry key={line.id} line={line} runTo={runTo} />
            ))}
          </ol>
        )}
        {next !== null || isOlder ? (
          <nav aria-label="Pages of the list" className="flex flex-wrap gap-2">
            {isOlder ? <ButtonLink to={`${addressOf({ ...form })}#audit-title`}>Newest</ButtonLink> : null}
            {next === null ? null : (
              <ButtonLink to={`${addressOf({ ...form, before: String(next) })}#audit-title`}>Older</ButtonLink>
            )}
          </nav>
        ) : null}
      </div>
    </CardSection>
  )
}

/** One or two lines: what, then who and when. */
function Entry({ line, runTo }: { line: Line; runTo: AuditLogProps['runTo'] }) {
  const { what, facts, run, outcome, who, at, ip, accountUuid } = line
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-6 border-line border-t py-2">
      <p className="min-w-0 wrap-anywhere text-ink-soft text-label">
        <span className="font-medium text-ink">{what}</span>
        {facts === '' ? null : ' · '}
        {run === null ? (
          facts
        ) : (
          <Link to={runTo(run)} className="-my-2.5 inline-block py-3 text-accent underline underline-offset-4">
            {facts}
          </Link>
        )}{' '}
        {outcome === 'done' ? null : <StatusPill {...OUTCOMES[outcome]}>{outcomeText(outcome)}</StatusPill>}
      </p>
      <p className="wrap-anywhere text-dense text-ink-soft">
        {who} · <Time at={at} as="clock" />
        {ip ? ` · from ${ip}` : null}
        {accountUuid ? ` · account ${accountUuid}` : null}
      </p>
    </li>
  )
}

/** Closed until it is used: most readers want the newest entries. */
function Filter(props: AuditLogProps) {
  const { form, errors } = props
  const used = !asksNothingOfAudit(form) || Object.keys(errors).length > 0
  return (
    <Disclosure summary="Filter" open={used}>
      <FilterForm {...props} />
    </Disclosure>
  )
}

function FilterForm({ carried, form, errors, addressOf }: AuditLogProps) {
  const { state, location } = useNavigation()
  const { pathname } = useLocation()
  const finding = state === 'loading' && location?.pathname === pathname
  const of = (name: keyof AuditForm) => ({
    id: `audit-${name}`,
    name,
    errors: errors[name],
    defaultValue: form[name],
  })
  return (
    <Form
      method="get"
      action={`${pathname}#audit-title`}
      preventScrollReset
      key={JSON.stringify(form)}
      className="grid gap-3"
    >
      <HiddenFields values={carried} />
      <div className="grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <SelectField {...of('group')} label="About" none="Everything" options={Object.entries(AUDIT_GROUPS)} />
        <SelectField
          {...of('outcome')}
          label="Outcome"
          none="Any"
          options={AUDIT_OUTCOMES.map((outcome) => [outcome, outcomeText(outcome)])}
        />
        <TextField {...of('from')} label="From" type="date" />
        <TextField {...of('until')} label="Until" type="date" />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" pending={finding} pendingLabel="Looking…">
          Find
        </Button>
        {asksNothingOfAudit(form) ? null : (
          <ButtonLink to={addressOf({})} preventScrollReset>
            Clear
          </ButtonLink>
        )}
      </div>
    </Form>
  )
}

function Nothing({ form, isOlder, all }: { form: AuditForm; isOlder: boolean; all: string }) {
  if (isOlder || asksNothingOfAudit(form)) {
    return (
      <EmptyState icon={ScrollText} title={isOlder ? 'No older entries' : 'Nothing yet'}>
        <p>{isOlder ? 'The list ends here.' : 'You will see sign-ins, changes and messages here.'}</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={SearchX} title="No entry found" action={<ButtonLink to={all}>Show everything</ButtonLink>}>
      <p>Remove a filter, or choose a longer time.</p>
    </EmptyState>
  )
}
