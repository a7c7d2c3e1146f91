import { isRouteErrorResponse, useLocation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { ButtonLink, ReloadLink } from '../button.tsx'

function PlainPage({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="mx-auto grid max-w-xl gap-3 py-8 sm:py-16">
      <h1 className="text-display font-semibold">{title}</h1>
      {children}
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  )
}

function NotFoundPage() {
  return (
    <PlainPage
      title="404 Page Not Found"
      action={
        <ButtonLink to="/" variant="secondary" reloadDocument>
          Go to the start page
        </ButtonLink>
      }
    >
      <p className="text-ink-soft">Did you forget to add the page to the router?</p>
    </PlainPage>
  )
}

interface GoneText {
  title: string
  /** The reason, and how long such records are kept. */
  sentence: string
  /** Links to continue; the most likely one first. */
  ways: readonly { to: string; label: string }[]
}

/** Replaces an account's record that no longer exists: not an unknown address, and with links to continue. */
export function GonePage({ title, sentence, ways }: GoneText) {
  return (
    <PlainPage
      title={title}
      action={
        <div className="flex flex-wrap gap-2">
          {ways.map(({ to, label }, index) => (
            <ButtonLink key={to} to={to} variant={index === 0 ? 'primary' : 'secondary'}>
              {label}
            </ButtonLink>
          ))}
        </div>
      }
    >
      <p>{sentence}</p>
    </PlainPage>
  )
}

function ForbiddenPage({ sentence }: { sentence?: string }) {
  const account = new URLSearchParams(useLocation().search).get('accountUUID')
  return (
    <PlainPage
      title="This page is not for your account"
      action={
        <ButtonLink
          to={account ? `/?${new URLSearchParams({ accountUUID: account })}` : '/'}
          variant="secondary"
          reloadDocument
        >
          Back to webhooks
        </ButtonLink>
      }
    >
      <p>{sentence ?? 'Only an admin of this add-on can open it.'}</p>
      <p className="text-ink-soft">Nothing was changed. Ask the person who runs the add-on.</p>
    </PlainPage>
  )
}

function FailurePage() {
  return (
    <PlainPage title="Something went wrong on our side" action={<ReloadLink variant="primary">Try again</ReloadLink>}>
      <p>We could not show this page.</p>
      <p className="text-ink-soft">
        Your webhooks and automations keep running. Check what you typed last: it may not be saved. Wait a few minutes
        and try again.
      </p>
    </PlainPage>
  )
}

function UnreachablePage() {
  return (
    <PlainPage title="No connection" action={<ReloadLink variant="primary">Try again</ReloadLink>}>
      <p>Fieldhook could not be reached. Check your connection.</p>
      <p className="text-ink-soft">
        Your webhooks and automations keep running. Check what you typed last: it may not be saved.
      </p>
    </PlainPage>
  )
}

/** A page's data did not come: browsers say so with a TypeError of these words. The router cannot read a proxy's answer. */
export function isUnreachable(error: unknown): boolean {
  const words = error instanceof TypeError ? /fetch|load failed|network/i : /decode turbo-stream/
  return error instanceof Error && words.test(error.message)
}

function sentenceOf(data: unknown): string | undefined {
  // The router's own words begin with "Error: ", and name our files.
  if (typeof data === 'string' && data !== '' && !data.startsWith('Error: ')) return data
  if (typeof data === 'object' && data !== null && 'message' in data && typeof data.message === 'string') {
    return data.message
  }
  return undefined
}

/** Of the browser's tab. */
export function errorTitle(error: unknown): string {
  if (!isRouteErrorResponse(error) || error.status >= 500) return 'Something went wrong · Fieldhook'
  return error.status === 404 ? 'Fieldhook: something is missing' : 'That did not work · Fieldhook'
}

/** The page for what a route threw. A refusal may bring its own sentence; a fault never shows its details. */
export function ErrorPage({ error }: { error: unknown }) {
  if (isUnreachable(error)) return <UnreachablePage />
  if (!isRouteErrorResponse(error)) return <FailurePage />
  if (error.status === 404) return <NotFoundPage />
  if (error.status === 403) return <ForbiddenPage sentence={sentenceOf(error.data)} />
  if (error.status >= 500) return <FailurePage />
  return (
    <PlainPage title="That did not work" action={<ReloadLink variant="primary">Try again</ReloadLink>}>
      <p>{sentenceOf(error.data) ?? 'This page does not understand the request.'}</p>
      <p className="text-ink-soft">Nothing was changed.</p>
    </PlainPage>
  )
}
