/** The look of the page: one column on a phone, two on a desk, light or dark as the system is. */
export const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f5f6f8, #121418);
  --card: light-dark(#fff, #1a1d23);
  --line: light-dark(#e2e5ea, #2b3039);
  --text: light-dark(#1a1e26, #e4e8ee);
  --soft: light-dark(#596273, #98a2b2);
  --accent: light-dark(#1d5bb8, #86b4ff);
  --good: light-dark(#17693b, #7bd3a0);
  --bad: light-dark(#a52f27, #ff9d94);
  --wait: light-dark(#755400, #ecc766);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1, h2, h3, p, dl, dd, ol { margin: 0; padding: 0; }
h1 { font-size: 17px; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 14px; font-weight: 650; }
h3 { font-size: 12px; font-weight: 600; color: var(--soft); margin-bottom: 6px; }
code, pre, .mono, .disclosure { font-family: var(--mono); font-size: 12.5px; }
button, select, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 3px 10px; min-height: 30px; max-width: 100%; }
button { cursor: pointer; white-space: nowrap; }
button:hover { border-color: var(--soft); }
button[aria-disabled=true] { opacity: .5; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 14px 20px; background: var(--card); border-bottom: 1px solid var(--line); }
header .address { margin-right: auto; overflow-wrap: anywhere; color: var(--soft); }
#live { font-size: 12px; }
#live::before { content: ''; display: inline-block; width: 8px; height: 8px; border-radius: 50%; background: currentColor; margin-right: 6px; }
main { display: grid; grid-template-columns: minmax(0, 1fr) 350px; gap: 16px; align-items: start; max-width: 1480px; margin: 0 auto; padding: 16px 20px 72px; }
main > div { display: grid; gap: 16px; min-width: 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; min-width: 0; overflow-x: auto; }
.card > header { background: none; border: 0; padding: 12px 16px 8px; gap: 8px; }
.count, .soft, .empty, time { color: var(--soft); }
.count { font-size: 12px; }
.push { margin-left: auto; }
.body { padding: 0 16px 14px; }
.empty { padding: 2px 16px 16px; }
.card:has(tbody:empty) table, .card:not(:has(tbody:empty)) .empty { display: none; }
table { width: 100%; border-collapse: collapse; }
th { font-size: 12px; font-weight: 500; color: var(--soft); text-align: left; padding: 2px 8px 6px; white-space: nowrap; }
th.mono { font-family: inherit; font-size: 12px; }
td.soft { font-size: 13px; min-width: 100px; overflow-wrap: anywhere; }
td { padding: 6px 8px; border-top: 1px solid var(--line); vertical-align: middle; overflow-wrap: break-word; }
th:first-child, td:first-child { padding-left: 16px; }
th:last-child, td:last-child { padding-right: 16px; }
.num { text-align: right; white-space: nowrap; overflow-wrap: normal; }
/* Room for a phone or a meter number; what is longer is broken. */
td.wrap { overflow-wrap: anywhere; min-width: calc(13ch + 16px); }
td.time { color: var(--soft); white-space: nowrap; }
td.actions { text-align: right; white-space: nowrap; }
.actions button { margin-left: 6px; padding: 1px 9px; min-height: 26px; font-size: 13px; }
.actions button:first-child { margin-left: 0; }
.disclosure { background: none; border: 0; padding: 0 2px 0 0; min-height: 26px; max-width: 38ch; overflow: hidden; text-overflow: ellipsis; }
.disclosure::before { content: '\\25b8'; display: inline-block; width: 15px; color: var(--soft); }
.disclosure[aria-expanded=true]::before { content: '\\25be'; }
.disclosure:hover { color: var(--accent); }
.badge { display: inline-block; padding: 0 8px; border-radius: 99px; font-size: 12.5px; line-height: 20px; white-space: nowrap; background: color-mix(in srgb, currentColor 11%, transparent); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.wait { color: var(--wait); }
.panel > td { padding: 14px 16px 18px 33px; background: var(--page); }
.panel section { max-width: 860px; }
.panel section + section { margin-top: 16px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px; }
dt { color: var(--soft); }
dd { overflow-wrap: anywhere; white-space: pre-wrap; }
ol { list-style: none; }
li { display: flex; flex-wrap: wrap; gap: 0 14px; padding: 2px 0; }
li time { white-space: nowrap; }
li span { flex: 1 1 240px; overflow-wrap: anywhere; }
pre { margin: 0; padding: 9px 12px; background: var(--card); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 340px; overflow-y: auto; }
section .actions { margin-top: 8px; }
.balance { font-size: 27px; font-weight: 600; letter-spacing: -.02em; line-height: 1.3; }
.balance small { font-size: 13px; font-weight: 500; letter-spacing: 0; color: var(--soft); }
.body p { overflow-wrap: anywhere; }
.body form { margin: 6px 0; }
form { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; }
label { display: grid; gap: 2px; font-size: 12px; color: var(--soft); flex: 1 1 140px; min-width: 0; }
label select, label input { font-size: 14px; color: var(--text); width: 100%; }
label.wide { flex-basis: 100%; }
#said { position: fixed; left: 50%; bottom: 20px; transform: translateX(-50%); max-width: calc(100vw - 32px); padding: 8px 16px; border-radius: 8px; background: var(--text); color: var(--page); overflow-wrap: anywhere; }
#said:empty { display: none; }
@media (max-width: 1270px) { main { grid-template-columns: minmax(0, 1fr); } }
/* Narrow tables: each row is a small grid of its own. */
#ledger tr, #faults tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 12px; padding: 7px 16px; border-top: 1px solid var(--line); align-items: center; }
#ledger td, #faults td { padding: 0; border: 0; }
#ledger td:first-child, #faults td:first-child { grid-area: 1 / 1; }
#ledger td:nth-child(n + 3) { color: var(--soft); font-size: 12px; }
#faults td:nth-child(2) { font-size: 12px; }
#faults td.actions { grid-area: 1 / 2 / 3 / 3; }
#ledger, #faults { display: block; }
table:has(#ledger), table:has(#faults) { display: block; }
table:has(#ledger) thead, table:has(#faults) thead { position: absolute; clip-path: inset(50%); }
@media (max-width: 900px) {
  body > header { padding: 12px 16px; }
  main { padding: 12px 12px 72px; gap: 12px; }
  main > div { gap: 12px; }
  header .address { flex-basis: 100%; order: 1; }
  #live { margin-left: auto; }
  thead { position: absolute; clip-path: inset(50%); }
  table, tbody { display: block; }
  tr { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 2px 12px; align-items: center; padding: 9px 16px; border-top: 1px solid var(--line); }
  td, td:first-child, td:last-child { padding: 0; border: 0; }
  td:first-child { grid-area: 1 / 1 / 2 / 3; }
  td:empty { display: none; }
  .disclosure { max-width: 100%; }
  #transactions td:nth-child(5), #deliveries td:nth-child(5) { grid-area: 1 / 3; justify-self: end; }
  #transactions td:nth-child(4) { grid-area: 3 / 1 / 4 / 3; }
  #transactions td:nth-child(6) { justify-self: end; }
  #deliveries td:nth-child(3) { grid-area: 2 / 2 / 3 / 4; }
  #deliveries td:nth-child(4) { grid-area: 3 / 1 / 4 / 3; color: var(--soft); }
  #ledger td:nth-child(n + 3) { font-size: 11.5px; }
  #requests td:first-child { grid-area: 1 / 1 / 2 / 4; }
  #requests td:nth-child(2) { grid-area: 2 / 2; }
  #requests td:nth-child(3) { display: none; }
  #requests td:nth-child(4) { grid-area: 2 / 1; }
  #requests td:nth-child(5) { grid-area: 3 / 1 / 4 / 4; }
  .panel { display: block; padding: 0; border: 0; }
  .panel > td, .panel > td:first-child { display: block; padding: 12px 16px; }
  button, select, input { min-height: 36px; }
  .actions button { min-height: 32px; padding: 2px 12px; }
}
`;
