// Every POST of the pretend platform to the add-on.
import { eventOf } from '../../receiver/received.ts'
import type { AccountView, DeliveryView } from '../../world.ts'
import { AccountNav, type ClockView, Page, type Said } from '../layout.tsx'
import { At, Badge, Card, Code, Empty, Form } from '../parts.tsx'
import { countWords, deliveryWords, shortAddress } from '../words.ts'

interface PostsView {
  account: AccountView
  /** Newest first. */
  deliveries: DeliveryView[]
  /** Readable names by record uuid: `Job 3128`. */
  names: ReadonlyMap<string, string>
  clock: ClockView
  said: Said | null
}

export function PostsPage({ account, deliveries, names, clock, said }: PostsView) {
  const back = `/sandbox/console/accounts/${account.uuid}/posts`
  const waiting = deliveries.filter((one) => one.state === 'waiting').length
  return (
    <Page title={`Posts of ${account.name}`} here="account" back={back} clock={clock} said={said}>
      <h1>{account.name}</h1>
      <AccountNav account={account} here="posts" />
      <Card
        id="posts"
        title="Posts to the add-on"
        about={
          waiting === 0
            ? 'The last hundred webhooks, newest first.'
            : `The last hundred webhooks, newest first. ${countWords(waiting, 'is', 'are')} still waiting.`
        }
      >
        <div className="buttons">
          <a className="button" href={back}>
            Look again
          </a>
          {waiting > 0 ? (
            <Form to={`accounts/${account.uuid}/retry`} back={back}>
              <button type="submit">Try the waiting ones now</button>
            </Form>
          ) : null}
        </div>
        {deliveries.length === 0 ? (
          <Empty>
            Nothing was posted yet. Once Fieldhook has subscribed, every change of a job is posted and shows up here.
          </Empty>
        ) : (
          <ul className="entries">
            {deliveries.map((one) => (
              <li key={one.id}>
                <Post delivery={one} name={names.get(one.recordUuid) ?? ''} account={account} clock={clock} />
              </li>
            ))}
          </ul>
        )}
      </Card>
    </Page>
  )
}

interface PostProps {
  delivery: DeliveryView
  name: string
  account: AccountView
  clock: ClockView
}

function Post({ delivery, name, account, clock }: PostProps) {
  const state = deliveryWords(delivery)
  const zone = account.timezone
  return (
    <details className="entry">
      <summary>
        <span className="entry-title">
          <strong>{delivery.subject}</strong> {name === '' ? '' : `${name}: `}
          <span className="hint">{eventOf(delivery.body)?.changed?.join(', ')}</span>
        </span>
        <span className="entry-facts">
          <Badge tone={state.tone}>{state.words}</Badge>
          <At at={delivery.createdAt} zone={zone} now={clock.now} begin />
          {delivery.attempts.length > 1 ? <span>{delivery.attempts.length} attempts</span> : null}
        </span>
      </summary>
      <div className="entry-body">
        <p>
          To <code>{shortAddress(delivery.callbackUrl)}</code>, as {delivery.contentType}
        </p>
        {delivery.nextAt !== null ? (
          <p>
            Next attempt <At at={delivery.nextAt} zone={zone} now={clock.now} />.
          </p>
        ) : null}
        {delivery.attempts.length === 0 ? null : (
          <ol className="plain">
            {delivery.attempts.map((attempt, index) => (
              <li key={index}>
                <strong>Attempt {index + 1}</strong> <At at={attempt.at} zone={zone} now={clock.now} />:{' '}
                {attempt.status === null ? `no answer (${attempt.error})` : `answered ${attempt.status}`} after{' '}
                {attempt.durationMs} ms
                {attempt.answer === '' ? null : <span className="hint"> “{attempt.answer}”</span>}
              </li>
            ))}
          </ol>
        )}
        <h3>Body</h3>
        <Code text={delivery.body} />
      </div>
    </details>
  )
}
