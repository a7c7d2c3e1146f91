import { notFound } from '#app/http/respond.ts'

/** Everything under `/api` that no route answers: JSON, never a page. */
export function loader(): Response {
  return notFound()
}

export const action = loader
