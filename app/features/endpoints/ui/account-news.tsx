import { createContext, type ReactNode, useContext } from 'react'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import type { EndpointNotice } from '#app/features/notices/notice-view.ts'
import type { AccountNews, CardNews } from '../notices/notice-view.ts'

const NewsContext = createContext<AccountNews | null>(null)

/** Provides the account's news to the page and to every card in it. */
export function AccountNewsProvider({ news, children }: { news: AccountNews | null; children: ReactNode }) {
  return <NewsContext.Provider value={news}>{children}</NewsContext.Provider>
}

/** Returns the account's news; null when it is not known. */
export function useAccountNews(): AccountNews | null {
  return useContext(NewsContext)
}

/** Returns a card's news: everything besides its state. */
export function useCardNews(card: EndpointKey): CardNews & { notice: EndpointNotice | null } {
  const news = useContext(NewsContext)
  const own = news?.byCard[card]
  return {
    notice: news?.notices.find((notice) => notice.card === card) ?? null,
    check: own?.check ?? null,
    upstream: own?.upstream ?? null,
    silence: own?.silence ?? null,
  }
}
