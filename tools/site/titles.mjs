import { Converter } from 'typedoc';

/** Names each guide of the site by its heading; TypeDoc would take the name of its file. */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const [first] = document.content;
    const title = first && /^# (.+)$/m.exec(first.text);
    if (title) document.name = title[1];
  });
}
