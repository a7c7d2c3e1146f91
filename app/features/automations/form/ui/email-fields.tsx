import { isParameterShown } from '../form-shown.ts'
import { plainParameters } from '../form-state.ts'
import { useRuleForm } from './form-context.tsx'
import {
  BoxControl,
  Choice,
  NEEDS_SIGN_IN,
  PickControl,
  parameterNames,
  SelectControl,
  ShowFields,
  type StepProps,
  WordsControl,
} from './form-controls.tsx'

/** An e-mail: written here as text or HTML, or out of a template of the platform; with files. */
export function EmailFields(props: StepProps) {
  const { lists } = useRuleForm()
  const { step } = props
  const { parameters } = step
  const at = (parameter: string) => parameterNames(props, parameter)
  const content = parameters.contentType || 'manual'
  const { about: _about, ...template } = at('emailTemplateId')
  const chosen = lists.emailTemplates.find(({ uuid }) => uuid === parameters.emailTemplateId)
  return (
    <>
      <WordsControl {...at('to')} label="To" hint="An e-mail address or a placeholder. Empty = the job's contact." />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <WordsControl {...at('cc')} label="CC" />
        <WordsControl {...at('replyTo')} label="Reply To" />
      </div>
      <Choice
        name={at('contentType').name}
        legend="Email Content"
        otherwise="manual"
        options={[
          { value: 'manual', label: 'Plain Text' },
          { value: 'html', label: 'HTML' },
          { value: 'template', label: 'Template' },
        ]}
      />
      <ShowFields>Show the fields of this kind</ShowFields>
      {content === 'manual' ? (
        <>
          <WordsControl {...at('customSubject')} label="Subject" />
          <WordsControl {...at('customBody')} label="Message" rows={8} />
        </>
      ) : null}
      {content === 'html' ? (
        <>
          <WordsControl {...at('customHtmlSubject')} label="Subject" />
          <WordsControl
            {...at('customHtmlBody')}
            label="HTML Body"
            rows={10}
            code
            hint="<platform-user-signature> stands for the signature of the staff member."
          />
        </>
      ) : null}
      {content === 'template' ? (
        <>
          <PickControl
            {...template}
            label="Email Template"
            list={lists.emailTemplates}
            none="Choose a template"
            emptyHint={NEEDS_SIGN_IN}
          />
          {chosen ? (
            <div className="rounded-control bg-sunken p-3 text-label">
              <p className="font-medium">{chosen.subject || 'No subject'}</p>
              <p className="mt-1 whitespace-pre-line text-ink-soft">{chosen.text}</p>
            </div>
          ) : null}
          <WordsControl {...at('subject')} label="Subject" hint="Empty = the template's own." />
          <WordsControl {...at('htmlBody')} label="HTML Body" rows={4} code hint="Empty = the template's own." />
        </>
      ) : null}
      <div className="grid">
        <BoxControl name={at('linkToJob').name}>Link to the job, so that it is in its diary</BoxControl>
        <BoxControl name={at('includeSignature').name}>Include the staff signature</BoxControl>
        <BoxControl name={at('includeAttachments').name}>Include attachments</BoxControl>
        {isParameterShown(step, 'includeJobAttachments') ? <AttachmentFields {...props} /> : null}
      </div>
      <ShowFields>Show the attachments</ShowFields>
    </>
  )
}

function AttachmentFields(props: StepProps) {
  const { state } = useRuleForm()
  const { index, step } = props
  const at = (parameter: string) => parameterNames(props, parameter)
  const documents = state.steps
    .slice(0, index)
    .flatMap(({ type }, place) => (type === 'generate_document' ? [String(place + 1)] : []))
  const known = plainParameters(step.type).some(({ name }) => name === 'documentActionIndex')
  return (
    <div className="grid gap-2 border-l-2 border-line pl-4">
      <BoxControl name={at('includeJobAttachments').name}>Attachments of the job</BoxControl>
      {isParameterShown(step, 'attachmentFilter') ? (
        <>
          <BoxControl name={at('includeAllJobAttachments').name}>All of them</BoxControl>
          <WordsControl
            {...at('attachmentFilter')}
            label="Attachment Filter"
            hint="Only files with this in their name, e.g. photo. Empty = every file."
          />
        </>
      ) : null}
      <BoxControl name={at('includeGeneratedDocument').name}>A generated document</BoxControl>
      {known && isParameterShown(step, 'documentActionIndex') ? (
        <SelectControl
          name={at('documentActionIndex').name}
          path={at('documentActionIndex').path}
          label="Document of"
          none="The last one before this action"
          options={documents.map((value) => ({ value, label: `Action ${value}` }))}
          hint={
            documents.length === 0 ? 'No action before this one generates a document. Add one above it.' : undefined
          }
        />
      ) : null}
    </div>
  )
}
