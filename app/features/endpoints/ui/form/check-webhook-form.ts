// The forms' schemas with their library, apart because they weigh as much as the rest of the page: fetched when typing begins.
import '#app/ui/zod-without-eval.ts'
import { parseWithZod } from '@conform-to/zod/v4'
import type { z } from 'zod'
import type { EndpointKind } from '#app/domain/endpoint-key.ts'
import { forwardingRuleChange, forwardingRuleForm, webhookChange, webhookForm } from '../../endpoint.ts'

const SCHEMAS: Record<EndpointKind, Record<'create' | 'edit', z.ZodType>> = {
  webhook: { create: webhookForm, edit: webhookChange },
  extra: { create: forwardingRuleForm, edit: forwardingRuleChange },
}

export function checkOf(kind: EndpointKind, act: 'create' | 'edit') {
  return (formData: FormData) => parseWithZod(formData, { schema: SCHEMAS[kind][act] })
}
