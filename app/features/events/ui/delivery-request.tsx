import type { Millis } from '#app/lib/clock.ts'
import { CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { CopyCurlButton, CURL_HINT } from '#app/ui/form/copy-curl-button.tsx'
import { ScrollRegion } from '#app/ui/scroll-region.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { shownData } from '../activity-view.ts'
import { type DeliveryView, deliveryCurl, type RequestView } from '../delivery-detail.ts'

interface DeliveryRequestProps {
  delivery: DeliveryView
  /** The server's time. */
  now: Millis
  /** Where to find the full text of a long body. */
  whole: string
}

/** Nobody reads more than this on a page. Characters. */
const MOST_COMMAND = 10_000

const scrolling = 'max-h-96 overflow-auto rounded-control bg-sunken p-3'
const preformatted = 'whitespace-pre-wrap break-all font-mono text-dense'

/** The request as we sent it to the receiver. */
export function DeliveryRequest({ delivery, now, whole }: DeliveryRequestProps) {
  const { request } = delivery
  const body = shownData(request.body)
  const curl = deliveryCurl(request, now)
  return (
    <CardSection id="request" title="Request">
      <div className="grid gap-4">
        <p className="text-label text-ink-soft">
          {request.attempt === null ? (
            'Not sent yet.'
          ) : (
            <>
              Attempt {request.attempt.number} · <Time at={request.attempt.at} as="clock" />
            </>
          )}
          {request.chat === null ? null : ` In the format of ${request.chat}.`}
        </p>
        <p className="break-all font-mono text-dense">
          <span className="font-semibold">{request.method}</span> {request.url === '' ? '–' : request.url}
        </p>
        <Disclosure summary="Headers">
          <dl className="grid gap-1 rounded-control bg-sunken p-3 font-mono text-dense">
            {request.headers.map(({ name, value }) => (
              <div key={name} className="break-all">
                <dt className="inline text-ink-soft">{name}: </dt>
                <dd className="inline">{value ?? <i>set when it is sent</i>}</dd>
              </div>
            ))}
          </dl>
          <p className="mt-1.5 text-dense text-ink-soft">Signature hidden. Check it with your signing secret.</p>
        </Disclosure>
        <div className="grid gap-1.5">
          <h3 id="request-body" className="font-medium text-label">
            Body
          </h3>
          {body === null ? (
            <p className="text-label">What was sent is no longer kept.</p>
          ) : (
            <>
              <ScrollRegion labelledBy="request-body" className={scrolling}>
                <pre className={preformatted}>{body.text}</pre>
              </ScrollRegion>
              <p className="text-dense text-ink-soft">
                {body.cutFrom === null ? (
                  'Formatted for reading.'
                ) : (
                  <>
                    The beginning of {body.cutFrom} characters.{' '}
                    <a href={whole} className="inline-flex min-h-11 items-center font-medium text-accent underline">
                      All of it, as JSON
                    </a>
                  </>
                )}
              </p>
            </>
          )}
        </div>
        {curl === null || curl.length > MOST_COMMAND ? null : (
          <Disclosure summary="As a curl command">
            <ScrollRegion label="As a curl command" className={scrolling}>
              <pre className={preformatted}>{curl}</pre>
            </ScrollRegion>
            <p className="mt-1.5 text-dense text-ink-soft">{CURL_HINT}</p>
          </Disclosure>
        )}
      </div>
    </CardSection>
  )
}

/** Renders nothing when the body is no longer stored. */
export function CopyCurl({ request, now }: { request: RequestView; now: Millis }) {
  const curl = deliveryCurl(request, now)
  return curl === null ? null : <CopyCurlButton curlOf={async () => curl} boxStyle="order-last" />
}
