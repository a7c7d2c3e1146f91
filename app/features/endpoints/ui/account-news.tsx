import { createContext, type ReactNode, useContext } from 'react'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import type { AccountNews, CardNews, NoticeView } from '../notices/notice-view.ts'

const NewsContext = createContext<AccountNews | null>(null)

/** Gives the page and every card below it what is to be told about them. */
export function AccountNewsProvider({ news, children }: { news: AccountNews | null; children: ReactNode }) {
  return <NewsContext.Provider value={news}>{children}</NewsContext.Provider>
}

/** What the account is told; null = nothing is known. */
export function useAccountNews(): AccountNews | null {
  return useContext(NewsContext)
}

/** What a card has to tell beyond its state. */
export function useCardNews(card: EndpointKey): CardNews & { notice: NoticeView | null } {
  const news = useContext(NewsContext)
  const own = news?.byCard[card]
  return {
    notice: news?.notices.find((notice) => notice.card === card) ?? null,
    check: own?.check ?? null,
    upstream: own?.upstream ?? null,
    silence: own?.silence ?? null,
  }
}
