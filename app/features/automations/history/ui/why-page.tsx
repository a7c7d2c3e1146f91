import { Form, Link, useNavigation } from '@remix-run/react'
import { Bot, HelpCircle } from 'lucide-react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import { historyQuery, RUNS_PATH, runAddress, runsAddress } from '#app/domain/automations/history-address.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { Card } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { TextField } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { WhyAnswer, WhyView } from '../../preview/verdict-view.ts'
import { CustomerCard } from './customer-card.tsx'
import { HistoryFrame, type HistoryFrameProps } from './history-frame.tsx'
import { WhyPill } from './run-pills.tsx'

export interface WhyPageProps extends HistoryFrameProps {
  /** As typed; '' = no question yet. */
  asked: string
  answer: WhyAnswer | null
}

/** One job, with the verdict of every automation. */
export function WhyPage({ asked, answer, ...frame }: WhyPageProps) {
  const { account } = frame
  const { state, location } = useNavigation()
  const looking = state === 'loading' && location?.pathname === RUNS_PATH
  return (
    <HistoryFrame {...frame} title="Why did this job not fire?" place="why">
      <div className="grid gap-6">
        <Card className="p-4 sm:p-5">
          <Form
            key={asked}
            method="get"
            action={RUNS_PATH}
            className="grid max-w-xl items-start gap-3 sm:grid-cols-[minmax(0,1fr)_auto]"
          >
            {Object.entries(historyQuery(account, 'why')).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={String(value)} />
            ))}
            <TextField
              id="why-job"
              label="Job number"
              hint="For example 4411"
              {...(answer?.outcome === 'refused' ? { errors: [answer.message] } : {})}
              name="job"
              defaultValue={asked}
              autoComplete="off"
              enterKeyHint="search"
            />
            <div className="sm:pt-[1.625rem]">
              <Button type="submit" variant="primary" icon={HelpCircle} pending={looking} pendingLabel="Looking…">
                Explain
              </Button>
            </div>
          </Form>
        </Card>
        {answer?.outcome === 'answered' ? <Answer answer={answer} account={account} /> : null}
      </div>
    </HistoryFrame>
  )
}

interface AnswerProps {
  answer: Extract<WhyAnswer, { outcome: 'answered' }>
  account: AutomationAccount
}

function Answer({ answer, account }: AnswerProps) {
  const { recordUuid, isJob, title, about, trouble, rules, others, customers } = answer
  const all = runsAddress(account, { record: recordUuid })
  return (
    <section aria-labelledby="why-title" className="grid gap-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h2 id="why-title" className="wrap-anywhere font-semibold text-title">
            {title}
          </h2>
          {about === '' ? null : <p className="wrap-anywhere text-label text-ink-soft">{about}</p>}
        </div>
        <ButtonLink to={all}>All its runs</ButtonLink>
      </div>
      {trouble === null ? null : <Notice tone="attention">{trouble}</Notice>}
      {rules.length === 0 ? (
        <Card>
          <EmptyState icon={Bot} title="No automation watches it">
            <p>{others > 0 ? 'Your automations watch other records.' : 'You have no automations yet.'}</p>
          </EmptyState>
        </Card>
      ) : (
        <ul aria-labelledby="why-title" className="grid gap-3">
          {rules.map((rule) => (
            <li key={rule.ruleId}>
              <Rule rule={rule} account={account} />
            </li>
          ))}
        </ul>
      )}
      {rules.length > 0 && others > 0 ? (
        <p className="text-label text-ink-soft">
          {others === 1 ? 'One more automation is' : `${others} more automations are`} about other records, like
          bookings or payments.{' '}
          <Link to={all} className="text-accent underline underline-offset-4">
            {isJob ? 'See all runs of this job.' : 'See all runs of this record.'}
          </Link>
        </p>
      ) : null}
      <CustomerCard customers={customers} account={account} />
    </section>
  )
}

function Rule({ rule, account }: { rule: WhyView; account: AutomationAccount }) {
  const { name, sentence, standing, words, failed, at, runId, nextAt } = rule
  const now = usePresent()
  return (
    <Card className="grid gap-2 p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <WhyPill standing={standing} />
        <h3 className="wrap-anywhere min-w-0 font-semibold text-body">{name}</h3>
        {at === null ? null : <Time at={at} className="ml-auto text-dense text-ink-soft" />}
      </div>
      <p className="wrap-anywhere text-dense text-ink-soft">
        {sentence.when}
        {sentence.onlyIf === null ? `, ${sentence.does}.` : `, only if ${sentence.onlyIf}, then ${sentence.does}.`}
      </p>
      {words.map((sentenceOfIt) => (
        <p key={sentenceOfIt} className="wrap-anywhere text-label">
          {sentenceOfIt}
        </p>
      ))}
      {failed.length === 0 ? null : (
        <ul className="grid list-disc gap-1 pl-5 text-label">
          {failed.map((condition) => (
            <li key={condition} className="wrap-anywhere">
              {condition}
            </li>
          ))}
        </ul>
      )}
      {runId === null ? null : (
        <p>
          <Link
            to={runAddress(account, runId)}
            className="inline-flex min-h-11 items-center text-accent text-label underline-offset-4 hover:underline"
          >
            See what it did<VisuallyHidden> · {name}</VisuallyHidden>
          </Link>
        </p>
      )}
      {nextAt === null || nextAt <= now ? null : (
        <p className="text-dense text-ink-soft">
          Next check: <Time at={nextAt} as="clock" />
        </p>
      )}
    </Card>
  )
}
