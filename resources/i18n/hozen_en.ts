<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="ja_JP">
<context>
    <name>AnswerView</name>
    <message>
        <source>根拠</source>
        <translation>Sources</translation>
    </message>
    <message>
        <source>安全</source>
        <translation>Safety</translation>
    </message>
    <message>
        <source>原因</source>
        <translation>Causes</translation>
    </message>
    <message>
        <source>同型機（別設備）</source>
        <translation>Same model (another machine)</translation>
    </message>
    <message>
        <source>部品</source>
        <translation>Parts</translation>
    </message>
    <message>
        <source>続き {n}</source>
        <translation>{n} more</translation>
    </message>
    <message>
        <source>この設備での実績</source>
        <translation>What worked on this machine</translation>
    </message>
    <message>
        <source>他 {n}件</source>
        <translation>{n} more</translation>
    </message>
    <message>
        <source>次の一手</source>
        <translation>Next move</translation>
    </message>
    <message>
        <source>保全依頼を書く</source>
        <translation>Write a request</translation>
    </message>
</context>
<context>
    <name>ApprovalCard</name>
    <message>
        <source>保全依頼：承認待ち</source>
        <translation>Request: waiting for approval</translation>
    </message>
    <message>
        <source>優先度 {p}</source>
        <translation>priority {p}</translation>
    </message>
    <message>
        <source>内容を確認して承認</source>
        <translation>Review and approve</translation>
    </message>
    <message>
        <source>依頼者 {who}・{drafter}</source>
        <translation>Requested by {who} · {drafter}</translation>
    </message>
</context>
<context>
    <name>ApprovalDialog</name>
    <message>
        <source>保全依頼の承認</source>
        <translation>Approve the request</translation>
    </message>
    <message>
        <source>見本（架空）の依頼です。どこにも送られません。</source>
        <translation>This request belongs to the sample (fictional). It is sent nowhere.</translation>
    </message>
    <message>
        <source>件名</source>
        <translation>Title</translation>
    </message>
    <message>
        <source>優先度</source>
        <translation>Priority</translation>
    </message>
    <message>
        <source>内容</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>根拠（依頼案を作った時点のもの）</source>
        <translation>Evidence (as it stood when the proposal was made)</translation>
    </message>
    <message>
        <source>停止中：{at}から</source>
        <translation>Stopped since {at}</translation>
    </message>
    <message>
        <source>依頼者：{who}&#x3000;{drafter}</source>
        <translation>Requested by {who}&#x3000;{drafter}</translation>
    </message>
    <message>
        <source>試したこと：{step}</source>
        <translation>Tried: {step}</translation>
    </message>
    <message>
        <source>▲ 重複の可能性：{what}</source>
        <translation>▲ Possible duplicate: {what}</translation>
    </message>
    <message>
        <source>▲ 確認できません：{what}</source>
        <translation>▲ Can&apos;t be verified: {what}</translation>
    </message>
    <message>
        <source>理由（差戻し・登録しないとき）</source>
        <translation>Reason (to send back or turn down)</translation>
    </message>
    <message>
        <source>承認して登録</source>
        <translation>Approve and register</translation>
    </message>
    <message>
        <source>差戻し</source>
        <translation>Send back</translation>
    </message>
    <message>
        <source>登録しない</source>
        <translation>Turn down</translation>
    </message>
    <message>
        <source>あとで</source>
        <translation>Later</translation>
    </message>
    <message>
        <source>記録しています…</source>
        <translation>Recording…</translation>
    </message>
    <message>
        <source>最後まで読むと承認できます。</source>
        <translation>Read to the end to approve.</translation>
    </message>
    <message>
        <source>件名と内容が空です。</source>
        <translation>Title or details are empty.</translation>
    </message>
    <message>
        <source>理由を書いてください。</source>
        <translation>Please give a reason.</translation>
    </message>
    <message>
        <source>再提出の依頼です。前回：{what}</source>
        <translation>Submitted again. Last time: {what}</translation>
    </message>
</context>
<context>
    <name>ApprovalsDesk</name>
    <message>
        <source>すでに決まっていました。{words}</source>
        <translation>It had been decided before. {words}</translation>
    </message>
</context>
<context>
    <name>CarryOverOffer</name>
    <message>
        <source>やりとりが長くなり、AIが一度に読める量に近づきました。</source>
        <translation>This conversation has become long; there is little room left in what the AI can read at once.</translation>
    </message>
    <message>
        <source>設備を引き継いで新しい質問へ</source>
        <translation>New question, same machine</translation>
    </message>
</context>
<context>
    <name>ChoiceCard</name>
    <message>
        <source>前回の設備についての質問ですか？</source>
        <translation>Is this about the machine of your last question?</translation>
    </message>
    <message>
        <source>どの設備ですか？</source>
        <translation>Which machine?</translation>
    </message>
    <message>
        <source>台帳に見つかりません。つづりの近い設備：</source>
        <translation>Not in the ledger. Machines spelled alike:</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>社外AIへ送信します。この質問は送らない</source>
        <translation>Sent to an outside AI. Keep this question on this PC</translation>
    </message>
    <message>
        <source>送信</source>
        <translation>Send</translation>
    </message>
    <message>
        <source>中止</source>
        <translation>Stop</translation>
    </message>
    <message>
        <source>この質問は承認待ちです。ほかの質問は「＋ 新しい質問」からできます。</source>
        <translation>This question waits for an approval. Use “+ New question” for others.</translation>
    </message>
</context>
<context>
    <name>ConversationPage</name>
    <message>
        <source>前のやりとりを表示</source>
        <translation>Show earlier questions</translation>
    </message>
    <message>
        <source>設備とコード、または症状を書いてください。</source>
        <translation>Write the machine and the code, or the symptom.</translation>
    </message>
</context>
<context>
    <name>CutOffOffer</name>
    <message>
        <source>AIなしで終える</source>
        <translation>Finish without AI</translation>
    </message>
    <message>
        <source>AIにもう一度聞く</source>
        <translation>Ask the AI again</translation>
    </message>
</context>
<context>
    <name>DataDesk</name>
    <message>
        <source>データなし</source>
        <translation>No data</translation>
    </message>
    <message>
        <source>不明</source>
        <translation>Unknown</translation>
    </message>
    <message>
        <source>データ：不明</source>
        <translation>Data: unknown</translation>
    </message>
</context>
<context>
    <name>Desk</name>
    <message>
        <source>「{step}」→ {outcome}</source>
        <translation>“{step}” → {outcome}</translation>
    </message>
    <message>
        <source>社外AIを使う設定になりました。これからの質問は工場の外へ送信されます。</source>
        <translation>An outside AI is now in use. Questions from now on are sent out of the plant.</translation>
    </message>
    <message>
        <source>AIにつながらず途中になった質問が{n}件あります。「これまでの質問」の ◐ から続けられます。</source>
        <translation>{n} question(s) were left unfinished because the AI could not be reached. Go on from ◐ under &quot;Earlier questions&quot;.</translation>
    </message>
</context>
<context>
    <name>ErrorNote</name>
    <message>
        <source>情シスへの連絡用にコピー</source>
        <translation>Copy for IT</translation>
    </message>
    <message>
        <source>時刻：{at}
版：{version}
端末：{station}
番号：{hn}
内容：{words}
対応：{line}</source>
        <translation>Time: {at}
Version: {version}
Station: {station}
Number: {hn}
What: {words}
For IT: {line}</translation>
    </message>
    <message>
        <source>コピーしました</source>
        <translation>Copied</translation>
    </message>
</context>
<context>
    <name>FailurePage</name>
    <message>
        <source>設備が止まっているなど急ぐときは、待たずに班長か保全へ電話してください。保全依頼は紙に書き、開いてから入力してください。</source>
        <translation>If it is urgent, for instance a machine is down, don&apos;t wait: phone the line leader or maintenance. Write requests on paper and enter them once it opens.</translation>
    </message>
    <message>
        <source>情シスへ伝えること</source>
        <translation>For IT</translation>
    </message>
    <message>
        <source>もう一度開く</source>
        <translation>Open again</translation>
    </message>
    <message>
        <source>サポート用ファイルを保存…</source>
        <translation>Save a support file…</translation>
    </message>
    <message>
        <source>数秒ごとに、自動でもう一度開いています。開けば、そのまま使えます。</source>
        <translation>It is tried again by itself every few seconds. Once it opens, you can go on.</translation>
    </message>
    <message>
        <source>設備データを開けません</source>
        <translation>The plant data doesn&apos;t open</translation>
    </message>
    <message>
        <source>保全ナビのデータを開けません</source>
        <translation>Hozen Navi can&apos;t open its data</translation>
    </message>
    <message>
        <source>これまでの質問と保全依頼の一覧は見られ、承認済みの依頼の送信も続きます。新しい回答と承認はできません。</source>
        <translation>Earlier questions and the list of requests can be read, and approved requests still leave. New answers and approvals are not possible.</translation>
    </message>
    <message>
        <source>依頼と質問の記録は無事です。設備データのファイルには手を付けていません。</source>
        <translation>Requests and questions are safe. The files of the plant data were not touched.</translation>
    </message>
    <message>
        <source>依頼と質問の記録簿のファイルが見つかりません。新しく作り直してはいません。設備データには手を付けていません。</source>
        <translation>The file with requests and questions is not there. No new one was made. The plant data was not touched.</translation>
    </message>
    <message>
        <source>記録簿と設備データのファイルには手を付けていません。新しく作り直してもいません。</source>
        <translation>The files of the journal and of the plant data were not touched, and none was made anew.</translation>
    </message>
    <message>
        <source>設備データと依頼は消えていません。新しく作り直してもいません。</source>
        <translation>Plant data and requests are not lost, and nothing was made anew.</translation>
    </message>
    <message>
        <source>開いています…</source>
        <translation>Opening…</translation>
    </message>
</context>
<context>
    <name>LockoutRow</name>
    <message>
        <source>全文 {n}項目</source>
        <translation>All {n} points</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>保全ナビ</source>
        <translation>Hozen Navi</translation>
    </message>
    <message>
        <source>一覧</source>
        <translation>Lists</translation>
    </message>
    <message>
        <source>メニュー</source>
        <translation>Menu</translation>
    </message>
    <message>
        <source>見本（架空）：実在の設備ではありません。依頼はこの端末から出ません。</source>
        <translation>Sample (fictional): not a real plant. Requests never leave this PC.</translation>
    </message>
    <message>
        <source>閉じる</source>
        <translation>Close</translation>
    </message>
    <message>
        <source>自動（Windowsに合わせる）</source>
        <translation>Automatic (as Windows)</translation>
    </message>
    <message>
        <source>明るい</source>
        <translation>Light</translation>
    </message>
    <message>
        <source>暗い</source>
        <translation>Dark</translation>
    </message>
    <message>
        <source>文字の大きさ {p}%</source>
        <translation>Text size {p}%</translation>
    </message>
    <message>
        <source>データを取り込む…</source>
        <translation>Import data…</translation>
    </message>
    <message>
        <source>サポート用ファイルを保存…</source>
        <translation>Save a support bundle…</translation>
    </message>
    <message>
        <source>未選択</source>
        <translation>not chosen</translation>
    </message>
    <message>
        <source>対象設備：{what}</source>
        <translation>Machine: {what}</translation>
    </message>
    <message>
        <source>使う人を選ぶ</source>
        <translation>Who are you?</translation>
    </message>
    <message>
        <source>送れない理由（{hn}）…</source>
        <translation>Why nothing is sent ({hn})…</translation>
    </message>
</context>
<context>
    <name>ManualViewer</name>
    <message>
        <source>閉じる</source>
        <translation>Close</translation>
    </message>
    <message>
        <source>原本のファイルはこの端末にありません。取り込んだ文章を表示します。</source>
        <translation>The original file is not on this PC. Showing the imported text.</translation>
    </message>
</context>
<context>
    <name>ModelBlock</name>
    <message>
        <source>AIのまとめ（確認中）</source>
        <translation>AI summary (being checked)</translation>
    </message>
    <message>
        <source>送信した内容</source>
        <translation>What was sent</translation>
    </message>
    <message>
        <source>AIのまとめ（問い合わせ中）</source>
        <translation>AI summary (asking)</translation>
    </message>
    <message>
        <source>AIのまとめ（考え中）</source>
        <translation>AI summary (thinking)</translation>
    </message>
    <message>
        <source>AIのまとめ（書き直し中）</source>
        <translation>AI summary (being rewritten)</translation>
    </message>
    <message>
        <source>AIのまとめ（照合済み）</source>
        <translation>AI summary (checked)</translation>
    </message>
    <message>
        <source>AIのまとめ（確認できない語あり）</source>
        <translation>AI summary (some words can&apos;t be verified)</translation>
    </message>
    <message>
        <source>AIのまとめ（途中・未確認）</source>
        <translation>AI summary (incomplete, unchecked)</translation>
    </message>
    <message>
        <source>AIのまとめ（なし）</source>
        <translation>AI summary (none)</translation>
    </message>
    <message>
        <source>AIのまとめ（安全規則が禁じる内容あり）</source>
        <translation>AI summary (holds what the safety rules forbid)</translation>
    </message>
    <message>
        <source>安全規則が禁じる内容です（{ban}）。この文には従わないでください。</source>
        <translation>The safety rules forbid this ({ban}). Do not follow this sentence.</translation>
    </message>
</context>
<context>
    <name>PendingInbox</name>
    <message>
        <source>承認待ち</source>
        <translation>Waiting for approval</translation>
    </message>
    <message>
        <source>承認待ち {n}件</source>
        <translation>Waiting for approval: {n}</translation>
    </message>
    <message>
        <source>▲ 差戻し・期限切れ {n}件</source>
        <translation>▲ {n} returned or expired</translation>
    </message>
</context>
<context>
    <name>PersonDialog</name>
    <message>
        <source>使う人</source>
        <translation>Who is using this</translation>
    </message>
    <message>
        <source>PIN（空のままなら「未確認」として使います）</source>
        <translation>PIN (left empty, you are taken as not verified)</translation>
    </message>
    <message>
        <source>新しい PIN（6桁以上、連続した数字は不可）</source>
        <translation>New PIN (6 digits or more, no runs)</translation>
    </message>
    <message>
        <source>この人にする</source>
        <translation>Choose</translation>
    </message>
    <message>
        <source>だれでもない</source>
        <translation>Nobody</translation>
    </message>
    <message>
        <source>やめる</source>
        <translation>Cancel</translation>
    </message>
    <message>
        <source>名簿から選んでください。</source>
        <translation>Please choose from the roster.</translation>
    </message>
</context>
<context>
    <name>PlainLabel</name>
    <message>
        <source>コピー</source>
        <translation>Copy</translation>
    </message>
</context>
<context>
    <name>QuestionInput</name>
    <message>
        <source>例：ライン3の充填機でE-12が出た</source>
        <translation>e.g. E-12 on the filler of line 3</translation>
    </message>
</context>
<context>
    <name>RequestForm</name>
    <message>
        <source>保全依頼の下書き：{id}</source>
        <translation>Draft request: {id}</translation>
    </message>
    <message>
        <source>件名（{n}字まで）</source>
        <translation>Title (up to {n} characters)</translation>
    </message>
    <message>
        <source>優先度</source>
        <translation>Priority</translation>
    </message>
    <message>
        <source>内容</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>承認へ回す</source>
        <translation>Submit for approval</translation>
    </message>
    <message>
        <source>件名と内容を書いてください。</source>
        <translation>Please write title and details.</translation>
    </message>
    <message>
        <source>下書きを消す</source>
        <translation>Delete draft</translation>
    </message>
</context>
<context>
    <name>RequestsPage</name>
    <message>
        <source>保全依頼</source>
        <translation>Requests</translation>
    </message>
    <message>
        <source>登録された保全依頼はまだありません。</source>
        <translation>No request has been registered yet.</translation>
    </message>
    <message>
        <source>再提出</source>
        <translation>Submit again</translation>
    </message>
    <message>
        <source>差戻し・期限切れ {n}件</source>
        <translation>Returned or expired: {n}</translation>
    </message>
</context>
<context>
    <name>RestoredNote</name>
    <message>
        <source>前回の書きかけを戻しました。</source>
        <translation>Your draft from last time is back.</translation>
    </message>
    <message>
        <source>件名：{title}（優先度 {priority}）
内容：{detail}</source>
        <translation>Title: {title} (priority {priority})
Details: {detail}</translation>
    </message>
    <message>
        <source>元の内容を隠す</source>
        <translation>Hide the original</translation>
    </message>
    <message>
        <source>元の内容を見る</source>
        <translation>See the original</translation>
    </message>
</context>
<context>
    <name>ResubmitDialog</name>
    <message>
        <source>保全依頼の再提出</source>
        <translation>Resubmit a request</translation>
    </message>
    <message>
        <source>あとで</source>
        <translation>Later</translation>
    </message>
</context>
<context>
    <name>SidePanel</name>
    <message>
        <source>＋ 新しい質問</source>
        <translation>+ New question</translation>
    </message>
    <message>
        <source>設備をしぼり込む</source>
        <translation>Filter machines</translation>
    </message>
    <message>
        <source>これまでの質問</source>
        <translation>Earlier questions</translation>
    </message>
    <message>
        <source>保全依頼の一覧</source>
        <translation>List of requests</translation>
    </message>
    <message>
        <source>読み込み中…</source>
        <translation>Loading…</translation>
    </message>
</context>
<context>
    <name>Signature</name>
    <message>
        <source>（依頼者を選ぶ）</source>
        <translation>(choose the requester)</translation>
    </message>
    <message>
        <source>（承認者を選ぶ）</source>
        <translation>(choose the approver)</translation>
    </message>
    <message>
        <source>承認者の新しい PIN</source>
        <translation>Approver&apos;s new PIN</translation>
    </message>
    <message>
        <source>依頼者の本人確認がまだです。依頼者が PIN を入れてください。</source>
        <translation>The requester is not verified yet. The requester must enter a PIN.</translation>
    </message>
    <message>
        <source>依頼者</source>
        <translation>Requester</translation>
    </message>
    <message>
        <source>依頼者の PIN</source>
        <translation>Requester&apos;s PIN</translation>
    </message>
    <message>
        <source>承認者</source>
        <translation>Approver</translation>
    </message>
    <message>
        <source>承認者の PIN</source>
        <translation>Approver&apos;s PIN</translation>
    </message>
    <message>
        <source>このラインを承認できる人が名簿にいません。保全課長か管理者に連絡してください。</source>
        <translation>Nobody in the roster may approve for this line. Please contact the maintenance manager or IT.</translation>
    </message>
    <message>
        <source>承認者を選んでください。</source>
        <translation>Please choose the approver.</translation>
    </message>
    <message>
        <source>承認者の PIN を入れてください。</source>
        <translation>Please enter the approver&apos;s PIN.</translation>
    </message>
    <message>
        <source>依頼者の PIN を入れてください。</source>
        <translation>Please enter the requester&apos;s PIN.</translation>
    </message>
</context>
<context>
    <name>SourceDesk</name>
    <message>
        <source>この質問は、まだ何も送信していません。</source>
        <translation>Nothing has been sent for this question yet.</translation>
    </message>
    <message>
        <source>送信した内容</source>
        <translation>What was sent</translation>
    </message>
</context>
<context>
    <name>StartFailure</name>
    <message>
        <source>保全ナビ</source>
        <translation>Hozen Navi</translation>
    </message>
    <message>
        <source>保全ナビを開けませんでした</source>
        <translation>Hozen Navi could not open</translation>
    </message>
    <message>
        <source>閉じる</source>
        <translation>Close</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>保全ナビをはじめる</source>
        <translation>Get started</translation>
    </message>
    <message>
        <source>まだ設備のデータがありません。どちらかを選んでください。</source>
        <translation>There is no plant data yet. Please choose one.</translation>
    </message>
    <message>
        <source>見本（架空）のプラントで試す</source>
        <translation>Try the sample plant (fictional)</translation>
    </message>
    <message>
        <source>自分のデータを取り込む（台帳・マニュアル・記録のフォルダー）</source>
        <translation>Import my own data (a folder of ledger, manuals, records)</translation>
    </message>
    <message>
        <source>使いはじめる</source>
        <translation>Start using it</translation>
    </message>
    <message>
        <source>戻る</source>
        <translation>Back</translation>
    </message>
    <message>
        <source>データを取り込む</source>
        <translation>Import data</translation>
    </message>
    <message>
        <source>自分のデータを取り込むと、見本は表示されなくなります。</source>
        <translation>Once your own data is imported, the sample is no longer shown.</translation>
    </message>
    <message>
        <source>前に取り込んだデータに加えます。変わったファイルだけを読み直します。</source>
        <translation>Adds to what was imported before. Only changed files are read again.</translation>
    </message>
    <message>
        <source>取り込んでいます…</source>
        <translation>Importing…</translation>
    </message>
    <message>
        <source>取り込みました。</source>
        <translation>Imported.</translation>
    </message>
    <message>
        <source>見本を用意しています…</source>
        <translation>Preparing the sample…</translation>
    </message>
    <message>
        <source>データのフォルダー</source>
        <translation>Data folder</translation>
    </message>
</context>
<context>
    <name>StatusStrip</name>
    <message>
        <source>読み込み中…</source>
        <translation>Loading…</translation>
    </message>
    <message>
        <source>暗号化あり</source>
        <translation>Encrypted</translation>
    </message>
    <message>
        <source>暗号化なし</source>
        <translation>Not encrypted</translation>
    </message>
    <message>
        <source>端末 {code}</source>
        <translation>Station {code}</translation>
    </message>
    <message>
        <source>{what}（{hn}）</source>
        <translation>{what} ({hn})</translation>
    </message>
    <message>
        <source>AI不使用</source>
        <translation>No AI</translation>
    </message>
    <message>
        <source>AI：{model}</source>
        <translation>AI: {model}</translation>
    </message>
    <message>
        <source>社外AIへ送信</source>
        <translation>sent to an outside AI</translation>
    </message>
    <message>
        <source>未送信 {n}件</source>
        <translation>Unsent: {n}</translation>
    </message>
    <message>
        <source>最終同期 {at} / {words}</source>
        <translation>Last sync {at} / {words}</translation>
    </message>
    <message>
        <source>・要対応 {n}件</source>
        <translation> · needs attention: {n}</translation>
    </message>
    <message>
        <source>データ：不明</source>
        <translation>Data: unknown</translation>
    </message>
    <message>
        <source>データ：記録なし</source>
        <translation>Data: no records</translation>
    </message>
    <message>
        <source>データ：{day}まで</source>
        <translation>Data up to {day}</translation>
    </message>
</context>
<context>
    <name>StepsView</name>
    <message>
        <source>調べています…</source>
        <translation>looking up…</translation>
    </message>
    <message>
        <source>{s}秒</source>
        <translation>{s} s</translation>
    </message>
    <message>
        <source>調べた手順：{words} {tail}</source>
        <translation>Looked up: {words} {tail}</translation>
    </message>
</context>
<context>
    <name>SupportDesk</name>
    <message>
        <source>サポート用ファイルの保存先</source>
        <translation>Where to save the support bundle</translation>
    </message>
    <message>
        <source>ZIP ファイル (*.zip)</source>
        <translation>ZIP files (*.zip)</translation>
    </message>
    <message>
        <source>サポート用ファイルを作っています…（そのまま使えます）</source>
        <translation>Making the support bundle… (you can go on meanwhile)</translation>
    </message>
    <message>
        <source>サポート用ファイルを {file} に保存しました。鍵・人の名前・質問の中身は入れていません。渡す前に、中の logs をご確認ください。</source>
        <translation>The support bundle was saved as {file}. It holds no keys, no people’s names and no questions. Please look through its logs before you pass it on.</translation>
    </message>
    <message>
        <source>名前の控えを読めなかったので、文章はすべて省きました。</source>
        <translation> The names could not be read, so all free text was left out.</translation>
    </message>
</context>
<context>
    <name>approval</name>
    <message>
        <source>（改訂{r}）</source>
        <translation> (revision {r})</translation>
    </message>
    <message>
        <source>根拠として引いたものはありません。</source>
        <translation>Nothing was cited.</translation>
    </message>
</context>
<context>
    <name>import</name>
    <message>
        <source>{name}：{kind}&#x3000;受入 {accepted}・除外 {rejected}</source>
        <translation>{name}: {kind}&#x3000;accepted {accepted}, rejected {rejected}</translation>
    </message>
    <message>
        <source>&#x3000;{row}行目：{reason}</source>
        <translation>&#x3000;row {row}: {reason}</translation>
    </message>
    <message>
        <source>{name}：取り込めませんでした。{message}</source>
        <translation>{name}: not imported. {message}</translation>
    </message>
</context>
<context>
    <name>messages</name>
    <message>
        <source>台帳</source>
        <translation>ledger</translation>
    </message>
    <message>
        <source>マニュアル</source>
        <translation>manuals</translation>
    </message>
    <message>
        <source>記録</source>
        <translation>records</translation>
    </message>
    <message>
        <source>部品</source>
        <translation>Parts</translation>
    </message>
    <message>
        <source>手配</source>
        <translation>orders</translation>
    </message>
    <message>
        <source>依頼</source>
        <translation>requests</translation>
    </message>
    <message>
        <source>AI</source>
        <translation>AI</translation>
    </message>
    <message>
        <source>確認</source>
        <translation>check</translation>
    </message>
    <message>
        <source>承認待ち</source>
        <translation>Waiting for approval</translation>
    </message>
    <message>
        <source>決められた回数で終わらず、AIのまとめを止めました。</source>
        <translation>The AI summary was stopped at the limit of turns.</translation>
    </message>
    <message>
        <source>AIのまとめが長すぎて途中で切れました。</source>
        <translation>The AI summary was too long and was cut off.</translation>
    </message>
    <message>
        <source>AIはこの質問に答えませんでした。</source>
        <translation>The AI declined to answer this question.</translation>
    </message>
    <message>
        <source>中止しました。</source>
        <translation>Stopped.</translation>
    </message>
    <message>
        <source>AIのまとめの途中で問題が起きました。</source>
        <translation>Something went wrong during the AI summary.</translation>
    </message>
    <message>
        <source>AIが同じ調べものを繰り返したので止めました。</source>
        <translation>Stopped: the AI kept repeating the same look-up.</translation>
    </message>
    <message>
        <source>決められた量を超えたのでAIのまとめを止めました。</source>
        <translation>The AI summary was stopped at its budget.</translation>
    </message>
    <message>
        <source>やりとりが長すぎます。新しい質問から始めてください。</source>
        <translation>This conversation is too long. Please start a new question.</translation>
    </message>
    <message>
        <source>混雑</source>
        <translation>busy</translation>
    </message>
    <message>
        <source>つながりません</source>
        <translation>no connection</translation>
    </message>
    <message>
        <source>送信待ち</source>
        <translation>queued</translation>
    </message>
    <message>
        <source>送信中</source>
        <translation>sending</translation>
    </message>
    <message>
        <source>提出済</source>
        <translation>handed over</translation>
    </message>
    <message>
        <source>受付</source>
        <translation>accepted</translation>
    </message>
    <message>
        <source>受付拒否</source>
        <translation>refused</translation>
    </message>
    <message>
        <source>要対応</source>
        <translation>needs attention</translation>
    </message>
    <message>
        <source>PINで確認</source>
        <translation>verified by PIN</translation>
    </message>
    <message>
        <source>社員証で確認</source>
        <translation>verified by badge</translation>
    </message>
    <message>
        <source>Windowsで確認</source>
        <translation>verified by Windows</translation>
    </message>
    <message>
        <source>名簿から選択・未確認</source>
        <translation>chosen from the roster, not verified</translation>
    </message>
    <message>
        <source>不明</source>
        <translation>unknown</translation>
    </message>
    <message>
        <source>送信先なし</source>
        <translation>No sync target</translation>
    </message>
    <message>
        <source>送信先を確認中</source>
        <translation>Checking the sync target</translation>
    </message>
    <message>
        <source>● 接続</source>
        <translation>● Connected</translation>
    </message>
    <message>
        <source>▲ 送信先に届きません</source>
        <translation>▲ Sync target not reached</translation>
    </message>
    <message>
        <source>直った</source>
        <translation>Fixed</translation>
    </message>
    <message>
        <source>直らない</source>
        <translation>Not fixed</translation>
    </message>
    <message>
        <source>できない</source>
        <translation>Can&apos;t do</translation>
    </message>
    <message>
        <source>承認</source>
        <translation>approved</translation>
    </message>
    <message>
        <source>差戻し</source>
        <translation>Send back</translation>
    </message>
    <message>
        <source>登録しない</source>
        <translation>Turn down</translation>
    </message>
    <message>
        <source>取下げ</source>
        <translation>withdrawn</translation>
    </message>
    <message>
        <source>期限切れ</source>
        <translation>Expired</translation>
    </message>
    <message>
        <source>{what}「{query}」：{count}件（{seconds}秒）</source>
        <translation>{what} “{query}”: {count} ({seconds} s)</translation>
    </message>
    <message>
        <source>台帳で設備が決まりませんでした</source>
        <translation>No machine could be settled in the ledger</translation>
    </message>
    <message>
        <source>台帳で設備を {id} と決めました</source>
        <translation>Settled in the ledger: {id}</translation>
    </message>
    <message>
        <source>AIに{turn}回目の問い合わせ</source>
        <translation>AI call {turn}</translation>
    </message>
    <message>
        <source>AIのまとめを台帳・マニュアル・記録と照合：問題なし</source>
        <translation>AI summary checked against ledger, manuals and records: fine</translation>
    </message>
    <message>
        <source>AIのまとめを照合：確認できない語 {n}件</source>
        <translation>AI summary checked: {n} words can&apos;t be verified</translation>
    </message>
    <message>
        <source>{turns}周・入力 {input}・出力 {output} トークン・{seconds}秒</source>
        <translation>{turns} turns · {input} tokens in · {output} out · {seconds} s</translation>
    </message>
    <message>
        <source>AI：{model}</source>
        <translation>AI: {model}</translation>
    </message>
    <message>
        <source>（手順固定）</source>
        <translation> (fixed steps)</translation>
    </message>
    <message>
        <source>社外AIへ送信</source>
        <translation>sent to an outside AI</translation>
    </message>
    <message>
        <source>AIのまとめ（{why}・{s}秒後に再試行）</source>
        <translation>AI summary ({why}, trying again in {s} s)</translation>
    </message>
    <message>
        <source>登録済</source>
        <translation>registered</translation>
    </message>
    <message>
        <source>未選択</source>
        <translation>not chosen</translation>
    </message>
    <message>
        <source>人が書いた下書き</source>
        <translation>Drafted by a person</translation>
    </message>
    <message>
        <source>AI下書き（{model}）</source>
        <translation>Drafted by AI ({model})</translation>
    </message>
    <message>
        <source>{name}さんが{at}に</source>
        <translation>{name}, {at}:</translation>
    </message>
    <message>
        <source>{who}承認しました</source>
        <translation>{who} approved</translation>
    </message>
    <message>
        <source>{who}「{meaning}」としました</source>
        <translation>{who} “{meaning}”</translation>
    </message>
    <message>
        <source>{what}：{why}</source>
        <translation>{what}: {why}</translation>
    </message>
    <message>
        <source>AIにつながりません。</source>
        <translation>The AI can&apos;t be reached.</translation>
    </message>
</context>
<context>
    <name>names</name>
    <message>
        <source>質問</source>
        <translation>Question</translation>
    </message>
    <message>
        <source>この質問は社外AIへ送らない</source>
        <translation>Keep this question on this PC</translation>
    </message>
    <message>
        <source>送信</source>
        <translation>Send</translation>
    </message>
    <message>
        <source>回答を中止</source>
        <translation>Stop the answer</translation>
    </message>
    <message>
        <source>やりとり</source>
        <translation>Conversation</translation>
    </message>
    <message>
        <source>前のやりとりを表示</source>
        <translation>Show earlier questions</translation>
    </message>
    <message>
        <source>調べた手順</source>
        <translation>Looked up</translation>
    </message>
    <message>
        <source>調べた手順を開閉</source>
        <translation>Fold or unfold what was looked up</translation>
    </message>
    <message>
        <source>根拠</source>
        <translation>Sources</translation>
    </message>
    <message>
        <source>根拠を開く</source>
        <translation>Open the source</translation>
    </message>
    <message>
        <source>設備をしぼり込む</source>
        <translation>Filter machines</translation>
    </message>
    <message>
        <source>設備</source>
        <translation>Machines</translation>
    </message>
    <message>
        <source>新しい質問</source>
        <translation>New question</translation>
    </message>
    <message>
        <source>これまでの質問</source>
        <translation>Earlier questions</translation>
    </message>
    <message>
        <source>承認待ち</source>
        <translation>Waiting for approval</translation>
    </message>
    <message>
        <source>保全依頼</source>
        <translation>Requests</translation>
    </message>
    <message>
        <source>保全依頼の一覧</source>
        <translation>List of requests</translation>
    </message>
    <message>
        <source>保全依頼の一覧表</source>
        <translation>Table of requests</translation>
    </message>
    <message>
        <source>差戻し・期限切れの依頼案</source>
        <translation>Returned or expired proposals</translation>
    </message>
    <message>
        <source>選んだ依頼案を再提出</source>
        <translation>Submit the chosen proposal again</translation>
    </message>
    <message>
        <source>使う人</source>
        <translation>Who is using this</translation>
    </message>
    <message>
        <source>対象設備</source>
        <translation>Machine</translation>
    </message>
    <message>
        <source>設備を選ぶ</source>
        <translation>Choose the machine</translation>
    </message>
    <message>
        <source>この設備</source>
        <translation>This machine</translation>
    </message>
    <message>
        <source>安全</source>
        <translation>Safety</translation>
    </message>
    <message>
        <source>手順</source>
        <translation>Steps</translation>
    </message>
    <message>
        <source>この設備での実績</source>
        <translation>What worked on this machine</translation>
    </message>
    <message>
        <source>続きを表示</source>
        <translation>Show the rest</translation>
    </message>
    <message>
        <source>直った</source>
        <translation>Fixed</translation>
    </message>
    <message>
        <source>直らない</source>
        <translation>Not fixed</translation>
    </message>
    <message>
        <source>できない</source>
        <translation>Can&apos;t do</translation>
    </message>
    <message>
        <source>保全依頼の下書き</source>
        <translation>Draft request</translation>
    </message>
    <message>
        <source>保全依頼を書く</source>
        <translation>Write a request</translation>
    </message>
    <message>
        <source>件名</source>
        <translation>Title</translation>
    </message>
    <message>
        <source>内容</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>優先度</source>
        <translation>Priority</translation>
    </message>
    <message>
        <source>承認へ回す</source>
        <translation>Submit for approval</translation>
    </message>
    <message>
        <source>この質問で送信した内容を見る</source>
        <translation>Show what was sent for this question</translation>
    </message>
    <message>
        <source>AIなしで終える</source>
        <translation>Finish without AI</translation>
    </message>
    <message>
        <source>設備を引き継いで新しい質問へ</source>
        <translation>New question, same machine</translation>
    </message>
    <message>
        <source>AIのまとめ</source>
        <translation>AI summary</translation>
    </message>
    <message>
        <source>見本（架空）</source>
        <translation>Sample (fictional)</translation>
    </message>
    <message>
        <source>データの日付</source>
        <translation>Date of the data</translation>
    </message>
    <message>
        <source>送信の状態</source>
        <translation>State of sending</translation>
    </message>
    <message>
        <source>通信</source>
        <translation>Network</translation>
    </message>
    <message>
        <source>回答を手伝うモデル</source>
        <translation>Model that helps to answer</translation>
    </message>
    <message>
        <source>保存データの暗号化</source>
        <translation>Encryption of stored data</translation>
    </message>
    <message>
        <source>保全依頼の承認</source>
        <translation>Approve the request</translation>
    </message>
    <message>
        <source>内容を確認して承認</source>
        <translation>Review and approve</translation>
    </message>
    <message>
        <source>依頼の内容</source>
        <translation>The request</translation>
    </message>
    <message>
        <source>承認者</source>
        <translation>Approver</translation>
    </message>
    <message>
        <source>承認者の PIN</source>
        <translation>Approver&apos;s PIN</translation>
    </message>
    <message>
        <source>承認者の新しい PIN</source>
        <translation>Approver&apos;s new PIN</translation>
    </message>
    <message>
        <source>依頼者</source>
        <translation>Requester</translation>
    </message>
    <message>
        <source>依頼者の PIN</source>
        <translation>Requester&apos;s PIN</translation>
    </message>
    <message>
        <source>承認して登録</source>
        <translation>Approve and register</translation>
    </message>
    <message>
        <source>差戻し</source>
        <translation>Send back</translation>
    </message>
    <message>
        <source>登録しない</source>
        <translation>Turn down</translation>
    </message>
    <message>
        <source>差戻し・登録しない理由</source>
        <translation>Reason to send back or turn down</translation>
    </message>
    <message>
        <source>あとで</source>
        <translation>Later</translation>
    </message>
    <message>
        <source>根拠の原文</source>
        <translation>Source</translation>
    </message>
    <message>
        <source>マニュアルのページ</source>
        <translation>Page of the manual</translation>
    </message>
    <message>
        <source>原文</source>
        <translation>Source text</translation>
    </message>
    <message>
        <source>原文を閉じる</source>
        <translation>Close the source</translation>
    </message>
    <message>
        <source>拡大</source>
        <translation>Zoom in</translation>
    </message>
    <message>
        <source>縮小</source>
        <translation>Zoom out</translation>
    </message>
    <message>
        <source>設備と質問の一覧</source>
        <translation>Lists of machines and questions</translation>
    </message>
    <message>
        <source>表示とデータのメニュー</source>
        <translation>Menu of view and data</translation>
    </message>
    <message>
        <source>はじめに</source>
        <translation>Get started</translation>
    </message>
    <message>
        <source>見本で試す</source>
        <translation>Try the sample</translation>
    </message>
    <message>
        <source>自分のデータを取り込む</source>
        <translation>Import my own data</translation>
    </message>
    <message>
        <source>取り込みの結果</source>
        <translation>Result of the import</translation>
    </message>
    <message>
        <source>取り込まずに戻る</source>
        <translation>Back without importing</translation>
    </message>
    <message>
        <source>使いはじめる</source>
        <translation>Start using it</translation>
    </message>
    <message>
        <source>名簿</source>
        <translation>Roster</translation>
    </message>
    <message>
        <source>PIN</source>
        <translation>PIN</translation>
    </message>
    <message>
        <source>この人にする</source>
        <translation>Choose</translation>
    </message>
    <message>
        <source>だれでもない</source>
        <translation>Nobody</translation>
    </message>
    <message>
        <source>新しい PIN</source>
        <translation>New PIN</translation>
    </message>
    <message>
        <source>やめる</source>
        <translation>Cancel</translation>
    </message>
    <message>
        <source>お知らせ</source>
        <translation>Notice</translation>
    </message>
    <message>
        <source>エラー</source>
        <translation>Error</translation>
    </message>
    <message>
        <source>エラーの内容</source>
        <translation>What went wrong</translation>
    </message>
    <message>
        <source>情シスがすること</source>
        <translation>What IT does</translation>
    </message>
    <message>
        <source>データを開けません</source>
        <translation>The data doesn&apos;t open</translation>
    </message>
    <message>
        <source>無事なもの</source>
        <translation>What is safe</translation>
    </message>
    <message>
        <source>開き直しの様子</source>
        <translation>Opening again</translation>
    </message>
    <message>
        <source>もう一度開く</source>
        <translation>Open again</translation>
    </message>
    <message>
        <source>サポート用ファイルを保存</source>
        <translation>Save a support file</translation>
    </message>
    <message>
        <source>保全ナビを開けませんでした</source>
        <translation>Hozen Navi could not open</translation>
    </message>
    <message>
        <source>閉じる</source>
        <translation>Close</translation>
    </message>
    <message>
        <source>情シスへの連絡用にコピー</source>
        <translation>Copy for IT</translation>
    </message>
    <message>
        <source>お知らせを閉じる</source>
        <translation>Close the notice</translation>
    </message>
    <message>
        <source>下書きを消す</source>
        <translation>Delete the draft</translation>
    </message>
    <message>
        <source>前回の書きかけ</source>
        <translation>Draft from last time</translation>
    </message>
    <message>
        <source>元の内容</source>
        <translation>Original text</translation>
    </message>
    <message>
        <source>保全依頼の再提出</source>
        <translation>Resubmit a request</translation>
    </message>
    <message>
        <source>差戻しの理由</source>
        <translation>Why it came back</translation>
    </message>
    <message>
        <source>差戻し・期限切れの依頼案を見る</source>
        <translation>See returned and expired requests</translation>
    </message>
    <message>
        <source>前回の差戻し</source>
        <translation>Why it came back last time</translation>
    </message>
    <message>
        <source>質問をもう一度聞く</source>
        <translation>Ask the question again</translation>
    </message>
    <message>
        <source>途中の質問をAIにもう一度聞く</source>
        <translation>Ask the AI again about the unfinished question</translation>
    </message>
</context>
<context>
    <name>RunCard</name>
    <message>
        <source>もう一度聞く</source>
        <translation>Ask again</translation>
    </message>
</context>
</TS>
