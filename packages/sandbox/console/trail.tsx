// One trail, shown as the steps of an event: changed, posted, answered, forwarded.
import { ArrowRight, Inbox, type LucideIcon, PenLine, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Millis } from '#app/lib/clock.ts'
import { signatureWords } from '../receiver/received.ts'
import { At, Badge, Card, Code, Form } from './parts.tsx'
import type { Trail, TrailPost } from './trails.server.ts'
import { deliveryWords, shortAddress } from './words.ts'

interface TrailCardProps {
  trail: Trail
  zone: string
  now: Millis
  back: string
  id: string
  /** Set in a list of several trails: the trail's account. The sentence is the heading then. */
  accountName?: string
}

export function TrailCard({ trail, zone, now, back, id, accountName }: TrailCardProps) {
  const waiting = trail.posts.some((one) => one.delivery.state === 'waiting')
  return (
    <Card
      id={id}
      title={accountName === undefined ? 'What happened' : trail.sentence}
      part={accountName === undefined ? 'section' : 'article'}
      className={accountName === undefined ? 'trail-card' : undefined}
    >
      <ol className="trail">
        <Station icon={PenLine} tone="working">
          <p>
            <strong>{accountName === undefined ? trail.sentence : accountName}</strong>
          </p>
          <p className="hint">
            <At at={trail.at} zone={zone} now={now} begin />
          </p>
        </Station>
        {trail.posts.length === 0 ? (
          <Station icon={Send} tone="neutral">
            <NothingPosted listening={trail.listening} neverPosted={trail.neverPosted} />
          </Station>
        ) : null}
        {trail.posts.map((post) => (
          <Post key={post.delivery.id} post={post} zone={zone} now={now} />
        ))}
      </ol>
      {waiting ? (
        <div className="buttons">
          <a className="button" href={`${back}${back.includes('?') ? '&' : '?'}trail=${trail.id}#${id}`}>
            Look again
          </a>
          <Form to={`accounts/${trail.accountUuid}/retry`} back={back}>
            <input type="hidden" name="trail" value={trail.id} />
            <button type="submit">Try again now</button>
          </Form>
        </div>
      ) : null}
    </Card>
  )
}

function NothingPosted({ listening, neverPosted }: { listening: boolean; neverPosted: string }) {
  if (neverPosted !== '') {
    return (
      <p>
        No webhook was posted: ServiceM8 has none for {neverPosted}. Fieldhook looks for them itself every few minutes;
        move the clock forward to see it find this.
      </p>
    )
  }
  return listening ? (
    <p>No webhook was posted: nothing that changed is watched by the add-on’s subscriptions.</p>
  ) : (
    <p>
      No webhook was posted: Fieldhook has not subscribed to anything of this account yet. Open Fieldhook, connect the
      account and create a webhook first.
    </p>
  )
}

function Post({ post, zone, now }: { post: TrailPost; zone: string; now: Millis }) {
  const { delivery, received } = post
  const state = deliveryWords(delivery)
  const last = delivery.attempts.at(-1)
  return (
    <>
      <Station icon={Send} tone={state.tone}>
        <p>
          Posted to the add-on: <strong>{delivery.subject}</strong>
          {delivery.kind === 'object' ? '' : delivery.kind === 'event' ? ' (event)' : ' (signed)'}{' '}
          <code>{shortAddress(delivery.callbackUrl)}</code>
        </p>
        <p>
          <Badge tone={state.tone}>{state.words}</Badge>{' '}
          {last ? (
            <span>
              {last.status === null ? `No answer: ${last.error}` : `Answered ${last.status}`}, {last.durationMs} ms
              {delivery.attempts.length > 1 ? `, attempt ${delivery.attempts.length}` : ''}.
            </span>
          ) : null}{' '}
          {delivery.nextAt !== null && last ? (
            <span>
              Next attempt <At at={delivery.nextAt} zone={zone} now={now} />.
            </span>
          ) : null}
        </p>
        <details>
          <summary>What was posted</summary>
          <Code text={delivery.body} />
        </details>
      </Station>
      {received.map((request) => (
        <Station
          key={request.id}
          icon={Inbox}
          tone={request.status !== null && request.status < 300 ? 'working' : 'attention'}
        >
          <p>
            Forwarded to receiver <a href={`/sandbox/receiver/${request.name}#requests`}>{request.name}</a>{' '}
            <At at={request.at} zone={zone} now={now} />
          </p>
          <p className="hint">
            {request.status === null ? 'It gave no answer' : `It answered ${request.status}`}
            {request.mischief === '' ? '' : ` (${request.mischief})`}. {signatureWords(request.signature)}.
          </p>
        </Station>
      ))}
      {delivery.state === 'delivered' && received.length === 0 ? (
        <Station icon={ArrowRight} tone="neutral">
          <p>
            Nothing has come out at a receiver here. Either the webhook forwards to another address, or Fieldhook is
            still at it: look at its log.
          </p>
        </Station>
      ) : null}
    </>
  )
}

function Station({ icon: Icon, tone, children }: { icon: LucideIcon; tone: string; children: ReactNode }) {
  return (
    <li className={`stop ${tone}`}>
      <span className="station">
        <Icon aria-hidden size={16} />
      </span>
      <div className="stop-words">{children}</div>
    </li>
  )
}
