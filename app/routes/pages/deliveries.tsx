import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { deliveryAddress } from '#app/domain/delivery-address.ts'
import { logEnds } from '#app/domain/kept-until.ts'
import { deliveryNamed, resolve, searchedWebhooks, searchForPage } from '#app/features/events/search.server.ts'
import { readSearchForm, searchChoices } from '#app/features/events/search-filter.ts'
import { SEARCH_FIELDS, sentAgainFlash } from '#app/features/events/search-view.ts'
import { SearchPage } from '#app/features/events/ui/search-page.tsx'
import { OwnPage, titled } from '../own-page.tsx'
import { addressOf, findOwnAccount, gateFor, pageFrame, pressSendAgain, redirectWith } from './own-account.server.ts'

export const meta = titled('Find a delivery')

/** `/deliveries?accountUUID=` and the filters of `search-view.ts`. A delivery's number leads straight to its page. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return data(gateFor(found, request))
  const { account, accountId, admin } = found
  const query = new URL(request.url).searchParams
  const webhooks = await searchedWebhooks(app, account.uuid)
  const read = readSearchForm(query, account.timezone, webhooks)
  const page = {
    view: 'search' as const,
    ...(await pageFrame(app, found)),
    form: read.form,
    choices: searchChoices(read.form, webhooks),
    before: query.get('before') ?? '',
    logEnds: logEnds(app.settings.retentionDays, app.space.switches(), app.space.isOverShare(account.uuid)),
  }
  if (read.outcome === 'invalid')
    return data({ ...page, errors: read.errors, answer: null, statuses: null, volume: [] }, { status: 400 })
  const { question, form } = read
  const onlyId = question.before === null && SEARCH_FIELDS.every((field) => field === 'id' || form[field] === '')
  const meant = await resolve(app, account.uuid, question.pasted)
  const named = onlyId ? deliveryNamed(meant) : null
  if (named !== null) throw redirect(deliveryAddress({ accountUUID: accountId, admin }, named))
  const shown = await searchForPage(app, account.uuid, question, { zone: account.timezone, found: meant })
  return data({ ...page, errors: {}, ...shown })
}

/** "Send again" on a row, or for a group of failures; the search results stay open. */
export async function action({ request, context }: ActionFunctionArgs) {
  const { found, sent, asked, why, hold } = await pressSendAgain({ request, context })
  const [only] = sent.length === 1 ? sent : []
  const account = { accountUUID: found.accountId, admin: found.admin }
  throw redirectWith({ context }, addressOf(request), {
    ...sentAgainFlash(sent.length, asked, why, hold),
    ...(only !== undefined && { link: { to: deliveryAddress(account, only), words: 'See the new delivery' } }),
  })
}

export default function Deliveries() {
  const page = useLoaderData<typeof loader>()
  return <OwnPage page={page}>{(shown) => <SearchPage key={shown.accountUUID} {...shown} />}</OwnPage>
}
