import { useNavigation } from '@remix-run/react'
import { ListTree, RotateCcw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { deliveryAddress } from '#app/domain/delivery-address.ts'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import type { LogEntryView } from '#app/features/events/log-view.ts'
import { seconds } from '#app/lib/duration.ts'
import { hostOf } from '#app/lib/url.ts'
import { askOwnServer } from '#app/ui/ask-own-server.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { CopyCurlButton } from '#app/ui/form/copy-curl-button.tsx'
import { useToast } from '#app/ui/toast/toast.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { CardButton } from '../card-button.tsx'
import { CURL_SOURCE, type ManagerAccount, managerSearch } from '../manager-address.ts'

/** The webhook or rule whose entries are shown. */
export interface LogOwner {
  account: ManagerAccount
  webhookId: EndpointKey
  /** It forwards events with one of these fields; empty = every event, or it has no address. */
  fields?: readonly string[]
}

/** The actions for one event: open it, send it again, copy it as a command. */
export function LogEntryActions({ entry, owner }: { entry: LogEntryView; owner: LogOwner }) {
  const latest = latestOfEach(entry.deliveries)
  if (latest.length === 0) return null
  const tried = new Set(entry.forwardingResults.map((result) => result.deliveryId))
  const again = latestOfEach(entry.deliveries.filter((delivery) => tried.has(delivery.id)))
  return (
    <div className="-mx-4 flex flex-wrap">
      {latest.map(({ id, endpointId, url, rule }) => (
        <ButtonLink key={endpointId} to={deliveryAddress(owner.account, id)} variant="quiet" icon={ListTree}>
          {latest.length > 1 ? <Doing what="Details for " where={rule ?? hostOf(url)} /> : 'Details'}
          <VisuallyHidden> of delivery {id}</VisuallyHidden>
        </ButtonLink>
      ))}
      {again.map(({ id, endpointId, url, rule }) => (
        // Not by its delivery: sent again there is a newer one, and the pressed button would be gone.
        <CardButton
          key={endpointId}
          intent="send_again"
          webhookId={owner.webhookId}
          account={owner.account}
          values={{ delivery: String(id) }}
          variant="quiet"
          icon={RotateCcw}
          pendingLabel="Sending…"
        >
          {again.length > 1 ? <Doing what="Send again to " where={rule ?? hostOf(url)} /> : 'Send again'}
          <VisuallyHidden> delivery {id}</VisuallyHidden>
        </CardButton>
      ))}
      <CopyCurl entry={entry} owner={owner} />
    </div>
  )
}

/** Shortens a long name; the line above shows it in full. */
function Doing({ what, where }: { what: string; where: string }) {
  return (
    <span className="inline-flex min-w-0">
      <span className="whitespace-pre">{what}</span>
      <span className="max-w-24 truncate sm:max-w-56" title={where}>
        {where}
      </span>
    </span>
  )
}

/** Returns the newest delivery of each webhook or rule: its address may have changed, and two may share one. */
function latestOfEach(deliveries: LogEntryView['deliveries']): LogEntryView['deliveries'] {
  const latest = new Map<number, LogEntryView['deliveries'][number]>()
  for (const delivery of deliveries) {
    const known = latest.get(delivery.endpointId)
    if (!known || delivery.id > known.id) latest.set(delivery.endpointId, delivery)
  }
  return [...latest.values()]
}

function CopyCurl({ entry, owner }: { entry: LogEntryView; owner: LogOwner }) {
  const toast = useToast()
  const [busy, setBusy] = useState(false)
  async function curlOf() {
    setBusy(true)
    const curl = await fetchCurl(entry, owner)
    setBusy(false)
    if (curl === null) {
      toast({
        kind: 'error',
        title: 'We could not create the command',
        description: 'The event may be too old. We keep its content for a limited time.',
      })
    }
    return curl
  }
  return (
    <CopyCurlButton curlOf={curlOf} boxStyle="mx-4" variant="quiet" pending={busy}>
      <VisuallyHidden> of event {entry.id}</VisuallyHidden>
    </CopyCurlButton>
  )
}

async function fetchCurl(entry: LogEntryView, { account, webhookId }: LogOwner): Promise<string | null> {
  try {
    const address = `${CURL_SOURCE}${managerSearch(account)}&webhook=${webhookId}&event=${entry.id}`
    const response = await askOwnServer(address, { headers: { accept: 'application/json' } })
    if (!response.ok) return null
    const answer = (await response.json()) as { curl?: unknown }
    return typeof answer.curl === 'string' ? answer.curl : null
  } catch {
    return null
  }
}

/** An attempt takes a moment: refresh immediately, and once more after this time. */
const SECOND_LOOK_MS = seconds(1.5)

/** Refreshes the log after an event of this webhook was sent again. */
export function useAfterSendAgain(owner: LogOwner | undefined, refresh: () => void): void {
  const { state, formData } = useNavigation()
  const sending =
    owner !== undefined &&
    state !== 'idle' &&
    formData?.get('intent') === 'send_again' &&
    formData.get('id') === String(owner.webhookId)
  const was = useRef(false)
  const again = useRef(refresh)
  again.current = refresh
  useEffect(() => {
    const ended = was.current && !sending
    was.current = sending
    if (!ended) return
    again.current()
    const timer = setTimeout(() => again.current(), SECOND_LOOK_MS)
    return () => clearTimeout(timer)
  }, [sending])
}
