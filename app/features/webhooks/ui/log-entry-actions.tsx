import { useNavigation } from '@remix-run/react'
import { RotateCcw, SquareTerminal } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { seconds } from '#app/lib/duration.ts'
import { askOwnServer } from '#app/ui/ask-own-server.tsx'
import { Button } from '#app/ui/button.tsx'
import { COPIED } from '#app/ui/copy-field.tsx'
import { useToast } from '#app/ui/toast.tsx'
import type { ForwardingResultView, LogEntryView } from '../webhook-view.ts'
import { CardButton } from './card-button.tsx'
import { CURL_SOURCE, type ManagerAccount, managerSearch } from './manager-address.ts'

/** Whose entries they are. */
export interface LogOwner {
  account: ManagerAccount
  webhookId: number
}

/** What can be done with one event: send it again, take it away as a command. */
export function LogEntryActions({ entry, owner }: { entry: LogEntryView; owner: LogOwner }) {
  const latest = latestByAddress(entry.forwardingResults)
  if (latest.length === 0) return null
  return (
    <div className="-mx-4 flex flex-wrap">
      {latest.map(({ deliveryId, url }) => (
        <CardButton
          key={url}
          intent="send_again"
          webhookId={owner.webhookId}
          account={owner.account}
          values={{ delivery: String(deliveryId) }}
          look="quiet"
          icon={<RotateCcw aria-hidden className="size-4" />}
          pendingLabel="Sending…"
        >
          Send again{latest.length > 1 ? ` to ${hostOf(url)}` : ''}
        </CardButton>
      ))}
      <CopyCurl entry={entry} owner={owner} />
    </div>
  )
}

/** The newest delivery to each address: the one that is repeated. */
function latestByAddress(results: readonly ForwardingResultView[]): ForwardingResultView[] {
  const latest = new Map<string, ForwardingResultView>()
  for (const result of results) {
    const known = latest.get(result.url)
    if (!known || result.deliveryId > known.deliveryId) latest.set(result.url, result)
  }
  return [...latest.values()]
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

function CopyCurl({ entry, owner }: { entry: LogEntryView; owner: LogOwner }) {
  const toast = useToast()
  const [busy, setBusy] = useState(false)
  const [byHand, setByHand] = useState<string | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (byHand !== null) field.current?.select()
  }, [byHand])

  async function copy() {
    setBusy(true)
    const curl = await fetchCurl(entry, owner)
    setBusy(false)
    if (curl === null) {
      return toast({
        kind: 'error',
        title: 'The command could not be made',
        description: 'The event may be too old: its content is kept for a limited time.',
      })
    }
    try {
      await navigator.clipboard.writeText(curl)
      toast({ kind: 'success', title: COPIED, description: 'Put your own signature in, or leave that header out.' })
    } catch {
      // Inside a frame the browser may refuse.
      setByHand(curl)
    }
  }

  return (
    <>
      <span className="needs-script contents">
        <Button
          look="quiet"
          icon={<SquareTerminal aria-hidden className="size-4" />}
          pending={busy}
          onClick={() => void copy()}
        >
          Copy as curl
        </Button>
      </span>
      {byHand === null ? null : (
        <textarea
          ref={field}
          readOnly
          rows={6}
          value={byHand}
          aria-label="The command, to copy by hand"
          className="mx-4 w-full rounded-control border border-line-strong bg-sunken p-3 font-mono text-dense"
        />
      )}
    </>
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

/** An attempt takes a moment: looked for at once, and once more a little later. */
const SECOND_LOOK_MS = seconds(1.5)

/** Fetches the log again after an event of this webhook was sent again. */
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
