import { CalendarClock, X } from 'lucide-react'
import { AUTOMATION_PATH, automationQuery, ruleAnchor } from '#app/domain/automations/automation-address.ts'
import { runsAddress } from '#app/domain/automations/history-address.ts'
import { ButtonLink } from '#app/ui/button.tsx'
import { Card } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { UpcomingData } from '../run-list-view.ts'
import { HistoryFrame, type HistoryFrameProps } from './history-frame.tsx'
import { RunList } from './run-list.tsx'

interface UpcomingPageProps extends HistoryFrameProps, UpcomingData {}

/** Runs and checks that happen next, with a way to stop them. */
export function UpcomingPage({ runs, next, isLater, looks, ...frame }: UpcomingPageProps) {
  const { account } = frame
  const query = new URLSearchParams(automationQuery(account))
  return (
    <HistoryFrame {...frame} title="Upcoming runs" place="upcoming">
      <div className="grid gap-8">
        <section aria-labelledby="upcoming-title" className="grid gap-3">
          <div>
            <h2 id="upcoming-title" className="font-semibold text-title">
              Scheduled
            </h2>
            <p className="text-dense text-ink-soft">Next first.</p>
          </div>
          {runs.length === 0 ? (
            <Card>
              <EmptyState icon={CalendarClock} title="Nothing scheduled">
                <p>Runs that start later appear here.</p>
              </EmptyState>
            </Card>
          ) : (
            <RunList
              lines={runs}
              account={account}
              labelledBy="upcoming-title"
              actionOf={(line) => (
                <PostButton
                  wraps
                  values={{ act: 'cancel', run: String(line.id) }}
                  variant="danger-quiet"
                  icon={X}
                  aria-label={`Cancel the run of ${line.ruleName} for ${line.job}`}
                >
                  Cancel
                </PostButton>
              )}
            />
          )}
          {next !== null || isLater ? (
            <nav aria-label="Pages of upcoming runs" className="flex flex-wrap gap-2">
              {isLater ? <ButtonLink to={runsAddress(account, {}, 'upcoming')}>Soonest</ButtonLink> : null}
              {next === null ? null : (
                <ButtonLink to={runsAddress(account, { after: String(next) }, 'upcoming')}>Later</ButtonLink>
              )}
            </nav>
          ) : null}
        </section>
        <section aria-labelledby="looks-title" className="grid gap-3">
          <div>
            <h2 id="looks-title" className="font-semibold text-title">
              Next checks
            </h2>
            <p className="text-dense text-ink-soft">When scheduled automations run next.</p>
          </div>
          {looks.length === 0 ? (
            <Card>
              <EmptyState icon={CalendarClock} title="No checks planned">
                <p>No active automation has a schedule.</p>
              </EmptyState>
            </Card>
          ) : (
            <ul aria-labelledby="looks-title" className="rounded-card border border-line bg-surface shadow-rest">
              {looks.map(({ ruleId, name, schedule, at, pausedReason }) => (
                <li
                  key={ruleId}
                  className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t px-4 py-3 first:border-t-0"
                >
                  <div className="grid min-w-0 gap-0.5">
                    <p className="wrap-anywhere font-semibold text-label">{name}</p>
                    <p className="wrap-anywhere text-dense text-ink-soft">{schedule}</p>
                    {pausedReason === null ? null : (
                      <p className="wrap-anywhere text-dense text-attention">{pausedReason}</p>
                    )}
                  </div>
                  <div className="flex flex-wrap items-center gap-3">
                    <p className="text-label">
                      <Time at={at} as="clock" className="tabular-nums" />
                    </p>
                    <ButtonLink to={`${AUTOMATION_PATH}?${query}#${ruleAnchor(ruleId)}`} variant="quiet">
                      Change or switch off<VisuallyHidden> {name}</VisuallyHidden>
                    </ButtonLink>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </section>
      </div>
    </HistoryFrame>
  )
}
