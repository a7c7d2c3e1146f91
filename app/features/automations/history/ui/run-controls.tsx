import { RotateCcw, Send, Trash2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import type { RunOffers } from '../run-detail-view.ts'

interface RunControlsProps {
  runId: number
  offers: RunOffers
  /** The failed step has its own button. */
  retryAtStep: boolean
}

/** Each button says what it will do; one that resends has to be opened first. */
export function RunControls({ runId, offers, retryAtStep }: RunControlsProps) {
  const { failedAgain, allAgain, today, release, discard, cancel } = offers
  const run = String(runId)
  if (Object.values(offers).every((offer) => offer === null)) return null
  return (
    <div className="grid gap-4">
      {release === null ? null : (
        <Offer says={release}>
          <PostButton wraps values={{ act: 'release', run }} variant="primary" icon={Send}>
            Send it
          </PostButton>
        </Offer>
      )}
      {discard === null ? null : (
        <Offer says={discard}>
          <PostButton wraps values={{ act: 'discard', run }} variant="danger-quiet" icon={Trash2}>
            Discard
          </PostButton>
        </Offer>
      )}
      {failedAgain === null || retryAtStep ? null : (
        <Offer says={failedAgain}>
          <PostButton wraps values={{ act: 'failed_again', run }} variant="primary" icon={RotateCcw}>
            Run failed steps again
          </PostButton>
        </Offer>
      )}
      {cancel === null ? null : (
        <Offer says={cancel}>
          <PostButton wraps values={{ act: 'cancel', run }} variant="danger-quiet" icon={X}>
            Cancel this run
          </PostButton>
        </Offer>
      )}
      {allAgain === null ? null : (
        <Disclosure summary="Run again…">
          <Offer says={allAgain}>
            <PostButton wraps values={{ act: 'all_again', run }} icon={RotateCcw}>
              Run all again
            </PostButton>
          </Offer>
        </Disclosure>
      )}
      {today === null ? null : (
        <Disclosure summary="Run again as it is today…">
          <Offer says={today}>
            <PostButton wraps values={{ act: 'today', run }} icon={RotateCcw}>
              Run as it is today
            </PostButton>
          </Offer>
        </Disclosure>
      )}
    </div>
  )
}

function Offer({ says, children }: { says: string; children: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-1.5">
      <p className="wrap-anywhere text-label">{says}</p>
      {children}
    </div>
  )
}
