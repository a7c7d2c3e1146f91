import type { LoaderFunctionArgs } from '@remix-run/node'
import { securityText } from '#app/lib/security-contact.ts'

/** `/.well-known/security.txt`: whom to tell about a weakness of this installation. 404 where SECURITY_CONTACT is not set. */
export function loader({ context }: LoaderFunctionArgs): Response {
  const { clock, settings } = context.app
  const text = securityText(settings, clock.now())
  if (text === null) throw new Response(null, { status: 404 })
  return new Response(text, {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
  })
}
