CREATE TABLE public.account_names (
    key character varying(128) NOT NULL,
    player character varying(32) NOT NULL,
    name character varying(24) NOT NULL,
    until bigint NOT NULL
);
CREATE TABLE public.accounts (
    player character varying(32) NOT NULL,
    hash text NOT NULL,
    role character varying(8) NOT NULL,
    since bigint NOT NULL,
    is_closed boolean NOT NULL
);
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.archive (
    match character varying(32) NOT NULL,
    game character varying(32) NOT NULL,
    options text NOT NULL,
    variant character varying(32) NOT NULL,
    clock character varying(16) NOT NULL,
    private boolean NOT NULL,
    rated boolean NOT NULL,
    plies integer NOT NULL,
    winner integer,
    outcome character varying(8) NOT NULL,
    reason character varying(16) NOT NULL,
    started bigint NOT NULL,
    ended bigint NOT NULL,
    opening text NOT NULL,
    tie bigint NOT NULL
);
CREATE TABLE public.archive_fill (
    id integer NOT NULL,
    after character varying(32) NOT NULL
);
CREATE TABLE public.archive_pairs (
    player character varying(32) NOT NULL,
    opponent character varying(32) NOT NULL,
    game character varying(32) NOT NULL,
    wins integer NOT NULL,
    losses integer NOT NULL,
    draws integer NOT NULL
);
CREATE TABLE public.archive_players (
    match character varying(32) NOT NULL,
    seat integer NOT NULL,
    player character varying(32) NOT NULL,
    kind character varying(8) NOT NULL,
    result character varying(8) NOT NULL,
    plies integer NOT NULL,
    ended bigint NOT NULL,
    tie bigint NOT NULL
);
CREATE TABLE public.events (
    match character varying(32) NOT NULL,
    seq integer NOT NULL,
    body text NOT NULL
);
CREATE TABLE public.invitations (
    digest character varying(64) NOT NULL,
    uses integer NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE public.known_addresses (
    player character varying(32) NOT NULL,
    address character varying(64) NOT NULL,
    seen bigint NOT NULL
);
CREATE TABLE public.lobby_log (
    seq bigint NOT NULL,
    body text NOT NULL
);
CREATE TABLE public.matches (
    id character varying(32) NOT NULL,
    started bigint NOT NULL,
    ended bigint,
    private boolean NOT NULL
);
CREATE TABLE public.moderation (
    number bigint NOT NULL,
    at bigint NOT NULL,
    by character varying(64) NOT NULL,
    body text NOT NULL,
    seal character varying(64) NOT NULL
);
CREATE TABLE public.nodes (
    name character varying(32) NOT NULL,
    incarnation character varying(32) NOT NULL,
    address text NOT NULL,
    seen_ms bigint NOT NULL,
    clock_ms bigint NOT NULL,
    backend_pid integer NOT NULL,
    backend_start bigint NOT NULL
);
CREATE TABLE public.openings (
    variant character varying(32) NOT NULL,
    line text NOT NULL,
    move character varying(16) NOT NULL,
    wins integer NOT NULL,
    losses integer NOT NULL,
    draws integer NOT NULL
);
CREATE TABLE public.players (
    id character varying(32) NOT NULL,
    name character varying(24) NOT NULL,
    kind character varying(8) NOT NULL,
    deleted boolean DEFAULT false NOT NULL
);
CREATE TABLE public.probes (
    id integer NOT NULL,
    body bytea NOT NULL
);
CREATE TABLE public.rating_changes (
    player character varying(32) NOT NULL,
    pool character varying(160) NOT NULL,
    games integer NOT NULL,
    match character varying(32) NOT NULL,
    seat integer NOT NULL,
    kind character varying(8) NOT NULL,
    at bigint NOT NULL,
    before double precision NOT NULL,
    deviation_before double precision NOT NULL,
    rating double precision NOT NULL,
    deviation double precision NOT NULL,
    volatility double precision NOT NULL
);
CREATE TABLE public.ratings (
    player character varying(32) NOT NULL,
    pool character varying(160) NOT NULL,
    kind character varying(8) NOT NULL,
    rating double precision NOT NULL,
    deviation double precision NOT NULL,
    volatility double precision NOT NULL,
    games integer NOT NULL,
    at bigint NOT NULL,
    established_until bigint NOT NULL
);
CREATE TABLE public.recovery_codes (
    player character varying(32) NOT NULL,
    digest character varying(64) NOT NULL
);
CREATE TABLE public.results (
    match character varying(32) NOT NULL,
    seq integer NOT NULL,
    ended bigint NOT NULL,
    number bigint
);
CREATE TABLE public.revocations (
    number bigint NOT NULL,
    player character varying(32) NOT NULL,
    token character varying(16) DEFAULT ''::character varying NOT NULL,
    spared character varying(16) DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.seats (
    match character varying(32) NOT NULL,
    seat integer NOT NULL,
    player character varying(32) NOT NULL
);
CREATE TABLE public.secrets (
    name character varying(32) NOT NULL,
    value bytea NOT NULL
);
CREATE TABLE public.slots (
    slot integer NOT NULL,
    owner character varying(32),
    epoch bigint NOT NULL,
    alive_ms bigint NOT NULL,
    version bigint NOT NULL
);
CREATE TABLE public.tokens (
    digest character varying(64) NOT NULL,
    player character varying(32) NOT NULL,
    label character varying(60) DEFAULT ''::character varying NOT NULL,
    is_session boolean DEFAULT true NOT NULL,
    scopes character varying(40) DEFAULT 'play bot read'::character varying NOT NULL,
    created bigint DEFAULT '1795596706793'::bigint NOT NULL,
    seen bigint DEFAULT '1795596706793'::bigint NOT NULL,
    expires bigint DEFAULT '0'::bigint NOT NULL
);
INSERT INTO public.account_names VALUES ('doraflrst', 'zAn_mBT3QtWa', 'Dora First', 1795596659452);
INSERT INTO public.account_names VALUES ('dora', 'zAn_mBT3QtWa', 'Dora', 0);
INSERT INTO public.account_names VALUES ('emllflrst', 'SveThAoi46DB', 'Emil First', 1795596659749);
INSERT INTO public.account_names VALUES ('emll', 'SveThAoi46DB', 'Emil', 0);
INSERT INTO public.account_names VALUES ('fatlmaflrst', 'Ovh0Zijg7C3q', 'Fatima First', 1795596660017);
INSERT INTO public.account_names VALUES ('fatlma', 'Ovh0Zijg7C3q', 'Fatima', 0);
INSERT INTO public.accounts VALUES ('zAn_mBT3QtWa', '$argon2id$v=19$m=32768,t=3,p=1$J/i+upeJ1x8OhHfs1iMOcw$40EoE1Hb61o4WgEhpZMwOtAUwKfH4/v9A6FmFEDvnnk', 'admin', 1795596659422, false);
INSERT INTO public.accounts VALUES ('SveThAoi46DB', '$argon2id$v=19$m=32768,t=3,p=1$9jdc0zLOOAmbH+2TwouezQ$OXnfspnRnPfecDuqPXsURcHhMqQULnUeYm6/Uer2OBo', 'player', 1795596659737, false);
INSERT INTO public.accounts VALUES ('Ovh0Zijg7C3q', '$argon2id$v=19$m=32768,t=3,p=1$TDozotLfZgtGG3gTvdvj3A$YvNHy/MJ8vMceHTZQ1J4zu8BXzGeB3O2Rkn/l7BEdBY', 'player', 1795596659998, false);
INSERT INTO public.alembic_version VALUES ('0008');
INSERT INTO public.archive VALUES ('75998e43ab3600a0', 'trapgrid', '|size=3|', '9982a38248933c2d84847acf3a9eaf10', 'none', false, false, 2, 0, 'decided', 'resignation', 1795596660277, 1795596660680, 'a2 b1 ', 188998527603380);
INSERT INTO public.archive VALUES ('e231da3765f40b56', 'isolation', '|dice=true||height=4||players=2||width=4|', '8e5b8f64b5df4158c9eb31eecfda0492', 'none', false, false, 3, 0, 'decided', 'resignation', 1795596660711, 1795596660759, 'a1 b1 1 ', 258075908808943);
INSERT INTO public.archive VALUES ('7abc62a44cbe1a71', 'bamboo', '|radius=2|', '81065ae2cdc8cd71e8d902105f0e6111', 'none', false, false, 2, 0, 'decided', 'resignation', 1795596660811, 1795596660908, 'a1 a2 ', 166350781462968);
INSERT INTO public.archive VALUES ('33d854a7f6e7d900', 'quoridor', '|max_plies=150||no_progress=40||players=2||size=7||walls=8|', 'e5433a560681d307266669607179a319', 'none', false, false, 2, 0, 'decided', 'resignation', 1795596660936, 1795596661024, 'c1 d6 ', 177752435289232);
INSERT INTO public.archive VALUES ('8dea0bec21412ecb', 'trapgrid', '|size=7|', '3efb08b270fcf863e3e95b5bbacde165', 'fischer', false, true, 3, 0, 'decided', 'resignation', 1795596662057, 1795596662097, 'a6 f1 a5 ', 34696074155992);
INSERT INTO public.archive VALUES ('b1a479b8233b2f7d', 'trapgrid', '|size=7|', '3efb08b270fcf863e3e95b5bbacde165', 'fischer', false, true, 12, 1, 'decided', 'rules', 1795596682149, 1795596682321, 'a6 f1 a5 e1 a4 d1 a3 c1 ', 10008264883618);
INSERT INTO public.archive VALUES ('cab27e0beab0e9f0', 'trapgrid', '|size=7|', '3efb08b270fcf863e3e95b5bbacde165', 'fischer', false, true, 12, 1, 'decided', 'rules', 1795596702372, 1795596702516, 'a6 f1 a5 e1 a4 d1 a3 c1 ', 18287638744812);
INSERT INTO public.archive_pairs VALUES ('QqrgZp2WxJbR', 'zAn_mBT3QtWa', 'trapgrid', 0, 1, 0);
INSERT INTO public.archive_pairs VALUES ('zAn_mBT3QtWa', 'QqrgZp2WxJbR', 'trapgrid', 1, 0, 0);
INSERT INTO public.archive_pairs VALUES ('QqrgZp2WxJbR', 'zAn_mBT3QtWa', 'isolation', 0, 1, 0);
INSERT INTO public.archive_pairs VALUES ('zAn_mBT3QtWa', 'QqrgZp2WxJbR', 'isolation', 1, 0, 0);
INSERT INTO public.archive_pairs VALUES ('QqrgZp2WxJbR', 'zAn_mBT3QtWa', 'bamboo', 0, 1, 0);
INSERT INTO public.archive_pairs VALUES ('zAn_mBT3QtWa', 'QqrgZp2WxJbR', 'bamboo', 1, 0, 0);
INSERT INTO public.archive_pairs VALUES ('QqrgZp2WxJbR', 'zAn_mBT3QtWa', 'quoridor', 0, 1, 0);
INSERT INTO public.archive_pairs VALUES ('zAn_mBT3QtWa', 'QqrgZp2WxJbR', 'quoridor', 1, 0, 0);
INSERT INTO public.archive_pairs VALUES ('SveThAoi46DB', 'zAn_mBT3QtWa', 'trapgrid', 1, 2, 0);
INSERT INTO public.archive_pairs VALUES ('zAn_mBT3QtWa', 'SveThAoi46DB', 'trapgrid', 2, 1, 0);
INSERT INTO public.archive_players VALUES ('75998e43ab3600a0', 0, 'zAn_mBT3QtWa', 'person', 'win', 2, 1795596660680, 188998527603380);
INSERT INTO public.archive_players VALUES ('75998e43ab3600a0', 1, 'QqrgZp2WxJbR', 'person', 'loss', 2, 1795596660680, 188998527603380);
INSERT INTO public.archive_players VALUES ('e231da3765f40b56', 0, 'zAn_mBT3QtWa', 'person', 'win', 3, 1795596660759, 258075908808943);
INSERT INTO public.archive_players VALUES ('e231da3765f40b56', 1, 'QqrgZp2WxJbR', 'person', 'loss', 3, 1795596660759, 258075908808943);
INSERT INTO public.archive_players VALUES ('7abc62a44cbe1a71', 0, 'zAn_mBT3QtWa', 'person', 'win', 2, 1795596660908, 166350781462968);
INSERT INTO public.archive_players VALUES ('7abc62a44cbe1a71', 1, 'QqrgZp2WxJbR', 'person', 'loss', 2, 1795596660908, 166350781462968);
INSERT INTO public.archive_players VALUES ('33d854a7f6e7d900', 0, 'zAn_mBT3QtWa', 'person', 'win', 2, 1795596661024, 177752435289232);
INSERT INTO public.archive_players VALUES ('33d854a7f6e7d900', 1, 'QqrgZp2WxJbR', 'person', 'loss', 2, 1795596661024, 177752435289232);
INSERT INTO public.archive_players VALUES ('8dea0bec21412ecb', 0, 'zAn_mBT3QtWa', 'person', 'win', 3, 1795596662097, 34696074155992);
INSERT INTO public.archive_players VALUES ('8dea0bec21412ecb', 1, 'SveThAoi46DB', 'person', 'loss', 3, 1795596662097, 34696074155992);
INSERT INTO public.archive_players VALUES ('b1a479b8233b2f7d', 0, 'zAn_mBT3QtWa', 'person', 'loss', 12, 1795596682321, 10008264883618);
INSERT INTO public.archive_players VALUES ('b1a479b8233b2f7d', 1, 'SveThAoi46DB', 'person', 'win', 12, 1795596682321, 10008264883618);
INSERT INTO public.archive_players VALUES ('cab27e0beab0e9f0', 0, 'SveThAoi46DB', 'person', 'loss', 12, 1795596702516, 18287638744812);
INSERT INTO public.archive_players VALUES ('cab27e0beab0e9f0', 1, 'zAn_mBT3QtWa', 'person', 'win', 12, 1795596702516, 18287638744812);
INSERT INTO public.events VALUES ('75998e43ab3600a0', 1, '{"seq":1,"at":1795596660277,"type":"started","match":"75998e43ab3600a0","game":{"name":"trapgrid","options":{"size":3}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"none"},"commitment":"6c6b1569864b6f596dd01e343eaa4ca9d150772da6782334cda57d7409e01816","private":false,"delay":0,"previous":null,"with_help":false,"rated":false,"ratings":[]}');
INSERT INTO public.events VALUES ('75998e43ab3600a0', 2, '{"seq":2,"at":1795596660659,"seat":0,"cause":"c14","type":"played","ply":0,"move":"a2","spent":382,"left":[null,null]}');
INSERT INTO public.events VALUES ('75998e43ab3600a0', 3, '{"seq":3,"at":1795596660676,"seat":1,"cause":"c19","type":"played","ply":1,"move":"b1","spent":17,"left":[null,null]}');
INSERT INTO public.events VALUES ('75998e43ab3600a0', 4, '{"seq":4,"at":1795596660680,"type":"ended","winner":0,"places":[1,2],"reason":"resignation","seed":"fde180ac4d03255f83fd348ab25b15911230eaf13e8e6987fbc8d0ec363da38f","cause":"c20","seat":1,"rated":false}');
INSERT INTO public.events VALUES ('e231da3765f40b56', 1, '{"seq":1,"at":1795596660711,"type":"started","match":"e231da3765f40b56","game":{"name":"isolation","options":{"width":4,"height":4,"players":2,"dice":true}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"none"},"commitment":"e8860ace2da9f9f824a2c4a2a21008b1dfd316b665bd1e5e87422888eae5aa33","private":false,"delay":0,"previous":null,"with_help":false,"rated":false,"ratings":[]}');
INSERT INTO public.events VALUES ('e231da3765f40b56', 2, '{"seq":2,"at":1795596660735,"seat":0,"cause":"c27","type":"played","ply":0,"move":"a1","spent":24,"left":[null,null]}');
INSERT INTO public.events VALUES ('e231da3765f40b56', 3, '{"seq":3,"at":1795596660750,"seat":1,"cause":"c32","type":"played","ply":1,"move":"b1","spent":15,"left":[null,null]}');
INSERT INTO public.events VALUES ('e231da3765f40b56', 4, '{"seq":4,"at":1795596660750,"type":"rolled","ply":2,"move":"1"}');
INSERT INTO public.events VALUES ('e231da3765f40b56', 5, '{"seq":5,"at":1795596660759,"type":"ended","winner":0,"places":[1,2],"reason":"resignation","seed":"607d8cb673f60285685b56664ca1f22ce6d564a260aed33477e7157d5c42474b","cause":"c33","seat":1,"rated":false}');
INSERT INTO public.events VALUES ('7abc62a44cbe1a71', 1, '{"seq":1,"at":1795596660811,"type":"started","match":"7abc62a44cbe1a71","game":{"name":"bamboo","options":{"radius":2}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"none"},"commitment":"0fededdf8ea0f9816ddd91f4463fca540b4d1c1643a7b09c4f13f03f4615487e","private":false,"delay":0,"previous":null,"with_help":false,"rated":false,"ratings":[]}');
INSERT INTO public.events VALUES ('7abc62a44cbe1a71', 2, '{"seq":2,"at":1795596660881,"seat":0,"cause":"c40","type":"played","ply":0,"move":"a1","spent":70,"left":[null,null]}');
INSERT INTO public.events VALUES ('7abc62a44cbe1a71', 3, '{"seq":3,"at":1795596660902,"seat":1,"cause":"c45","type":"played","ply":1,"move":"a2","spent":21,"left":[null,null]}');
INSERT INTO public.events VALUES ('7abc62a44cbe1a71', 4, '{"seq":4,"at":1795596660908,"type":"ended","winner":0,"places":[1,2],"reason":"resignation","seed":"2c4933c322580077b0cccc2303b394a499a15db4751b8a3e4637435865d270fc","cause":"c46","seat":1,"rated":false}');
INSERT INTO public.events VALUES ('33d854a7f6e7d900', 1, '{"seq":1,"at":1795596660936,"type":"started","match":"33d854a7f6e7d900","game":{"name":"quoridor","options":{"size":7,"players":2,"walls":8,"max_plies":150,"no_progress":40}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"none"},"commitment":"ce9262a487987aa621d821f381e9e6b0e531b94801414caba037f525b8f223cd","private":false,"delay":0,"previous":null,"with_help":false,"rated":false,"ratings":[]}');
INSERT INTO public.events VALUES ('33d854a7f6e7d900', 2, '{"seq":2,"at":1795596660981,"seat":0,"cause":"c53","type":"played","ply":0,"move":"c1","spent":45,"left":[null,null]}');
INSERT INTO public.events VALUES ('33d854a7f6e7d900', 3, '{"seq":3,"at":1795596661020,"seat":1,"cause":"c58","type":"played","ply":1,"move":"d6","spent":39,"left":[null,null]}');
INSERT INTO public.events VALUES ('33d854a7f6e7d900', 4, '{"seq":4,"at":1795596661024,"type":"ended","winner":0,"places":[1,2],"reason":"resignation","seed":"7b35f9285678a2c23313142761d8ae162863bd34207203e832f92b33f28dc2c4","cause":"c59","seat":1,"rated":false}');
INSERT INTO public.events VALUES ('8dea0bec21412ecb', 1, '{"seq":1,"at":1795596662057,"type":"started","match":"8dea0bec21412ecb","game":{"name":"trapgrid","options":{"size":7}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"SveThAoi46DB","name":"Emil","kind":"person"}],"clock":{"kind":"fischer","initial":180,"increment":2},"commitment":"01c29f4af248fa51ed9ea25bd496e007ee395328ce5f80e8bacfabd49d2a0afc","private":false,"delay":0,"previous":null,"with_help":false,"rated":true,"ratings":[{"rating":1500,"provisional":true,"anchored":false},{"rating":1500,"provisional":true,"anchored":false}]}');
INSERT INTO public.events VALUES ('8dea0bec21412ecb', 2, '{"seq":2,"at":1795596662066,"seat":0,"cause":"c66","type":"played","ply":0,"move":"a6","spent":9,"left":[180000,180000]}');
INSERT INTO public.events VALUES ('8dea0bec21412ecb', 3, '{"seq":3,"at":1795596662082,"seat":1,"cause":"c71","type":"played","ply":1,"move":"f1","spent":16,"left":[180000,180000]}');
INSERT INTO public.events VALUES ('8dea0bec21412ecb', 4, '{"seq":4,"at":1795596662091,"seat":0,"cause":"c76","type":"played","ply":2,"move":"a5","spent":8,"left":[181992,180000]}');
INSERT INTO public.events VALUES ('8dea0bec21412ecb', 5, '{"seq":5,"at":1795596662097,"type":"ended","winner":0,"places":[1,2],"reason":"resignation","seed":"d035ba493c983cc0e302e60e778a707a1feec8db69982638d57c7cc14de26299","cause":"c77","seat":1,"rated":true}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 1, '{"seq":1,"at":1795596682149,"type":"started","match":"b1a479b8233b2f7d","game":{"name":"trapgrid","options":{"size":7}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"SveThAoi46DB","name":"Emil","kind":"person"}],"clock":{"kind":"fischer","initial":180,"increment":2},"commitment":"ddde821966849137e6b4a53f2482508742cf2d3fa068f0b7e23eda5d62461229","private":false,"delay":0,"previous":null,"with_help":false,"rated":true,"ratings":[{"rating":1662,"provisional":true,"anchored":false},{"rating":1338,"provisional":true,"anchored":false}]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 2, '{"seq":2,"at":1795596682159,"seat":0,"cause":"c84","type":"played","ply":0,"move":"a6","spent":10,"left":[180000,180000]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 3, '{"seq":3,"at":1795596682164,"seat":1,"cause":"c89","type":"played","ply":1,"move":"f1","spent":5,"left":[180000,180000]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 4, '{"seq":4,"at":1795596682170,"seat":0,"cause":"c94","type":"played","ply":2,"move":"a5","spent":6,"left":[181994,180000]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 5, '{"seq":5,"at":1795596682176,"seat":1,"cause":"c99","type":"played","ply":3,"move":"e1","spent":6,"left":[181994,181994]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 6, '{"seq":6,"at":1795596682186,"seat":0,"cause":"c104","type":"played","ply":4,"move":"a4","spent":10,"left":[183984,181994]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 7, '{"seq":7,"at":1795596682204,"seat":1,"cause":"c109","type":"played","ply":5,"move":"d1","spent":18,"left":[183984,183976]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 8, '{"seq":8,"at":1795596682210,"seat":0,"cause":"c114","type":"played","ply":6,"move":"a3","spent":6,"left":[185978,183976]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 9, '{"seq":9,"at":1795596682232,"seat":1,"cause":"c119","type":"played","ply":7,"move":"c1","spent":22,"left":[185978,185954]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 10, '{"seq":10,"at":1795596682248,"seat":0,"cause":"c124","type":"played","ply":8,"move":"a2","spent":16,"left":[187962,185954]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 11, '{"seq":11,"at":1795596682279,"seat":1,"cause":"c129","type":"played","ply":9,"move":"b1","spent":31,"left":[187962,187923]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 12, '{"seq":12,"at":1795596682301,"seat":0,"cause":"c134","type":"played","ply":10,"move":"a1","spent":22,"left":[189940,187923]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 13, '{"seq":13,"at":1795596682321,"seat":1,"cause":"c139","type":"played","ply":11,"move":"b2","spent":20,"left":[189940,189903]}');
INSERT INTO public.events VALUES ('b1a479b8233b2f7d', 14, '{"seq":14,"at":1795596682321,"type":"ended","winner":1,"places":[2,1],"reason":"rules","seed":"f9e8141fb2b6cba13e107b58e14dc614904b2c68ef1f2c9dbb6c1a07a9e057a6","cause":null,"seat":null,"rated":true}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 1, '{"seq":1,"at":1795596702372,"type":"started","match":"cab27e0beab0e9f0","game":{"name":"trapgrid","options":{"size":7}},"players":[{"id":"SveThAoi46DB","name":"Emil","kind":"person"},{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"}],"clock":{"kind":"fischer","initial":180,"increment":2},"commitment":"0df178dc1b9c5a093dd8be537f011104695c4c68a79c4dae0d8620e8fb8bbceb","private":false,"delay":0,"previous":null,"with_help":false,"rated":true,"ratings":[{"rating":1567,"provisional":true,"anchored":false},{"rating":1433,"provisional":true,"anchored":false}]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 2, '{"seq":2,"at":1795596702388,"seat":0,"cause":"c148","type":"played","ply":0,"move":"a6","spent":16,"left":[180000,180000]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 3, '{"seq":3,"at":1795596702401,"seat":1,"cause":"c153","type":"played","ply":1,"move":"f1","spent":13,"left":[180000,180000]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 4, '{"seq":4,"at":1795596702406,"seat":0,"cause":"c158","type":"played","ply":2,"move":"a5","spent":5,"left":[181995,180000]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 5, '{"seq":5,"at":1795596702417,"seat":1,"cause":"c163","type":"played","ply":3,"move":"e1","spent":11,"left":[181995,181989]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 6, '{"seq":6,"at":1795596702428,"seat":0,"cause":"c168","type":"played","ply":4,"move":"a4","spent":11,"left":[183984,181989]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 7, '{"seq":7,"at":1795596702433,"seat":1,"cause":"c173","type":"played","ply":5,"move":"d1","spent":5,"left":[183984,183984]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 8, '{"seq":8,"at":1795596702443,"seat":0,"cause":"c178","type":"played","ply":6,"move":"a3","spent":10,"left":[185974,183984]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 9, '{"seq":9,"at":1795596702452,"seat":1,"cause":"c183","type":"played","ply":7,"move":"c1","spent":9,"left":[185974,185975]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 10, '{"seq":10,"at":1795596702470,"seat":0,"cause":"c188","type":"played","ply":8,"move":"a2","spent":18,"left":[187956,185975]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 11, '{"seq":11,"at":1795596702484,"seat":1,"cause":"c193","type":"played","ply":9,"move":"b1","spent":14,"left":[187956,187961]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 12, '{"seq":12,"at":1795596702500,"seat":0,"cause":"c198","type":"played","ply":10,"move":"a1","spent":16,"left":[189940,187961]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 13, '{"seq":13,"at":1795596702516,"seat":1,"cause":"c203","type":"played","ply":11,"move":"b2","spent":16,"left":[189940,189945]}');
INSERT INTO public.events VALUES ('cab27e0beab0e9f0', 14, '{"seq":14,"at":1795596702516,"type":"ended","winner":1,"places":[2,1],"reason":"rules","seed":"9b73fad04c416af244f3803406c05b0c6c28a0ed764a9987bb046471df00ee74","cause":null,"seat":null,"rated":true}');
INSERT INTO public.events VALUES ('23a66aac2e9e0260', 1, '{"seq":1,"at":1795596703485,"type":"started","match":"23a66aac2e9e0260","game":{"name":"quoridor","options":{"size":7,"players":2,"walls":8,"max_plies":150,"no_progress":40}},"players":[{"id":"SveThAoi46DB","name":"Emil","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"fischer","initial":600,"increment":0},"commitment":"dd5302eb81e9a6b958d316a65827c069fcfac0999beb2a729302f5c67b9a0f15","private":false,"delay":0,"previous":null,"with_help":false,"rated":false,"ratings":[]}');
INSERT INTO public.events VALUES ('23a66aac2e9e0260', 2, '{"seq":2,"at":1795596703492,"seat":0,"cause":"c221","type":"played","ply":0,"move":"c1","spent":7,"left":[600000,600000]}');
INSERT INTO public.events VALUES ('23a66aac2e9e0260', 3, '{"seq":3,"at":1795596703508,"seat":1,"cause":"c226","type":"played","ply":1,"move":"d6","spent":16,"left":[600000,600000]}');
INSERT INTO public.events VALUES ('23a66aac2e9e0260', 4, '{"seq":4,"at":1795596703522,"seat":0,"cause":"c231","type":"played","ply":2,"move":"b1","spent":14,"left":[599986,600000]}');
INSERT INTO public.events VALUES ('23a66aac2e9e0260', 5, '{"seq":5,"at":1795596703537,"seat":1,"cause":"c236","type":"played","ply":3,"move":"d5","spent":15,"left":[599986,599985]}');
INSERT INTO public.invitations VALUES ('df954097682335d8aed8711b55795512635958ac99c8153ae352e7d807bcb8eb', 2, 1803372703069);
INSERT INTO public.known_addresses VALUES ('zAn_mBT3QtWa', 'ff2897df175994549c12daae0e2b468da6bd8ecafff6e064dd913c1623f43e0c', 1795596703032);
INSERT INTO public.lobby_log VALUES (1, '{"challenge":{"type":"challenged","challenge":"0aed45ba5dcc1e71","by":{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},"to":{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"},"game":{"name":"trapgrid","options":{"size":3}},"clock":{"kind":"none"},"seat":0,"expires":1795596720110,"with_help":false,"rated":false},"type":"challenge_sent"}');
INSERT INTO public.lobby_log VALUES (2, '{"player":"zAn_mBT3QtWa","command":"c8","ref":"0aed45ba5dcc1e71","type":"answered"}');
INSERT INTO public.lobby_log VALUES (3, '{"closed":{"type":"challenge_closed","challenge":"0aed45ba5dcc1e71","how":"accepted","reason":"","match":"75998e43ab3600a0"},"told":["zAn_mBT3QtWa","QqrgZp2WxJbR"],"type":"challenge_ended"}');
INSERT INTO public.lobby_log VALUES (4, '{"match":"75998e43ab3600a0","spec":{"name":"trapgrid","options":{"size":3}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"none"},"private":false,"delay":0,"is_open":false,"with_help":false,"rated":false,"type":"match_made"}');
INSERT INTO public.lobby_log VALUES (5, '{"player":"QqrgZp2WxJbR","command":"c9","ref":"75998e43ab3600a0","type":"answered"}');
INSERT INTO public.lobby_log VALUES (6, '{"challenge":{"type":"challenged","challenge":"3533172a3918c496","by":{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},"to":{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"},"game":{"name":"isolation","options":{"width":4,"height":4,"players":2,"dice":true}},"clock":{"kind":"none"},"seat":0,"expires":1795596720692,"with_help":false,"rated":false},"type":"challenge_sent"}');
INSERT INTO public.lobby_log VALUES (7, '{"player":"zAn_mBT3QtWa","command":"c21","ref":"3533172a3918c496","type":"answered"}');
INSERT INTO public.lobby_log VALUES (8, '{"closed":{"type":"challenge_closed","challenge":"3533172a3918c496","how":"accepted","reason":"","match":"e231da3765f40b56"},"told":["zAn_mBT3QtWa","QqrgZp2WxJbR"],"type":"challenge_ended"}');
INSERT INTO public.lobby_log VALUES (9, '{"match":"e231da3765f40b56","spec":{"name":"isolation","options":{"width":4,"height":4,"players":2,"dice":true}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"none"},"private":false,"delay":0,"is_open":false,"with_help":false,"rated":false,"type":"match_made"}');
INSERT INTO public.lobby_log VALUES (10, '{"player":"QqrgZp2WxJbR","command":"c22","ref":"e231da3765f40b56","type":"answered"}');
INSERT INTO public.lobby_log VALUES (11, '{"challenge":{"type":"challenged","challenge":"f1f68a4140dbec4d","by":{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},"to":{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"},"game":{"name":"bamboo","options":{"radius":2}},"clock":{"kind":"none"},"seat":0,"expires":1795596720786,"with_help":false,"rated":false},"type":"challenge_sent"}');
INSERT INTO public.lobby_log VALUES (12, '{"player":"zAn_mBT3QtWa","command":"c34","ref":"f1f68a4140dbec4d","type":"answered"}');
INSERT INTO public.lobby_log VALUES (13, '{"closed":{"type":"challenge_closed","challenge":"f1f68a4140dbec4d","how":"accepted","reason":"","match":"7abc62a44cbe1a71"},"told":["zAn_mBT3QtWa","QqrgZp2WxJbR"],"type":"challenge_ended"}');
INSERT INTO public.lobby_log VALUES (14, '{"match":"7abc62a44cbe1a71","spec":{"name":"bamboo","options":{"radius":2}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"none"},"private":false,"delay":0,"is_open":false,"with_help":false,"rated":false,"type":"match_made"}');
INSERT INTO public.lobby_log VALUES (15, '{"player":"QqrgZp2WxJbR","command":"c35","ref":"7abc62a44cbe1a71","type":"answered"}');
INSERT INTO public.lobby_log VALUES (16, '{"challenge":{"type":"challenged","challenge":"bd4d8742c7839c4f","by":{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},"to":{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"},"game":{"name":"quoridor","options":{"size":7,"players":2,"walls":8,"max_plies":150,"no_progress":40}},"clock":{"kind":"none"},"seat":0,"expires":1795596720912,"with_help":false,"rated":false},"type":"challenge_sent"}');
INSERT INTO public.lobby_log VALUES (17, '{"player":"zAn_mBT3QtWa","command":"c47","ref":"bd4d8742c7839c4f","type":"answered"}');
INSERT INTO public.lobby_log VALUES (18, '{"closed":{"type":"challenge_closed","challenge":"bd4d8742c7839c4f","how":"accepted","reason":"","match":"33d854a7f6e7d900"},"told":["zAn_mBT3QtWa","QqrgZp2WxJbR"],"type":"challenge_ended"}');
INSERT INTO public.lobby_log VALUES (19, '{"match":"33d854a7f6e7d900","spec":{"name":"quoridor","options":{"size":7,"players":2,"walls":8,"max_plies":150,"no_progress":40}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"none"},"private":false,"delay":0,"is_open":false,"with_help":false,"rated":false,"type":"match_made"}');
INSERT INTO public.lobby_log VALUES (20, '{"player":"QqrgZp2WxJbR","command":"c48","ref":"33d854a7f6e7d900","type":"answered"}');
INSERT INTO public.lobby_log VALUES (21, '{"player":{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},"pool":"trapgrid-3-2","rating":1500.0,"since":1795596661044,"type":"pool_entered"}');
INSERT INTO public.lobby_log VALUES (22, '{"player":"zAn_mBT3QtWa","command":"c60","ref":null,"type":"answered"}');
INSERT INTO public.lobby_log VALUES (23, '{"player":{"id":"SveThAoi46DB","name":"Emil","kind":"person"},"pool":"trapgrid-3-2","rating":1500.0,"since":1795596661059,"type":"pool_entered"}');
INSERT INTO public.lobby_log VALUES (24, '{"player":"SveThAoi46DB","command":"c61","ref":null,"type":"answered"}');
INSERT INTO public.lobby_log VALUES (25, '{"player":"SveThAoi46DB","met":"zAn_mBT3QtWa","reason":"","type":"pool_left"}');
INSERT INTO public.lobby_log VALUES (26, '{"player":"zAn_mBT3QtWa","met":"SveThAoi46DB","reason":"","type":"pool_left"}');
INSERT INTO public.lobby_log VALUES (27, '{"match":"8dea0bec21412ecb","spec":{"name":"trapgrid","options":{"size":7}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"SveThAoi46DB","name":"Emil","kind":"person"}],"clock":{"kind":"fischer","initial":180,"increment":2},"private":false,"delay":0,"is_open":false,"with_help":false,"rated":true,"type":"match_made"}');
INSERT INTO public.lobby_log VALUES (28, '{"player":{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},"pool":"trapgrid-3-2","rating":1500.0,"since":1795596662119,"type":"pool_entered"}');
INSERT INTO public.lobby_log VALUES (29, '{"player":"zAn_mBT3QtWa","command":"c78","ref":null,"type":"answered"}');
INSERT INTO public.lobby_log VALUES (30, '{"player":{"id":"SveThAoi46DB","name":"Emil","kind":"person"},"pool":"trapgrid-3-2","rating":1500.0,"since":1795596662132,"type":"pool_entered"}');
INSERT INTO public.lobby_log VALUES (31, '{"player":"SveThAoi46DB","command":"c79","ref":null,"type":"answered"}');
INSERT INTO public.lobby_log VALUES (32, '{"player":"SveThAoi46DB","met":"zAn_mBT3QtWa","reason":"","type":"pool_left"}');
INSERT INTO public.lobby_log VALUES (33, '{"player":"zAn_mBT3QtWa","met":"SveThAoi46DB","reason":"","type":"pool_left"}');
INSERT INTO public.lobby_log VALUES (34, '{"match":"b1a479b8233b2f7d","spec":{"name":"trapgrid","options":{"size":7}},"players":[{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},{"id":"SveThAoi46DB","name":"Emil","kind":"person"}],"clock":{"kind":"fischer","initial":180,"increment":2},"private":false,"delay":0,"is_open":false,"with_help":false,"rated":true,"type":"match_made"}');
INSERT INTO public.lobby_log VALUES (35, '{"player":{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"},"pool":"trapgrid-3-2","rating":1662.3108939062977,"since":1795596682342,"type":"pool_entered"}');
INSERT INTO public.lobby_log VALUES (36, '{"player":"zAn_mBT3QtWa","command":"c142","ref":null,"type":"answered"}');
INSERT INTO public.lobby_log VALUES (37, '{"player":{"id":"SveThAoi46DB","name":"Emil","kind":"person"},"pool":"trapgrid-3-2","rating":1337.6891060937023,"since":1795596682359,"type":"pool_entered"}');
INSERT INTO public.lobby_log VALUES (38, '{"player":"SveThAoi46DB","command":"c143","ref":null,"type":"answered"}');
INSERT INTO public.lobby_log VALUES (39, '{"player":"SveThAoi46DB","met":"zAn_mBT3QtWa","reason":"","type":"pool_left"}');
INSERT INTO public.lobby_log VALUES (40, '{"player":"zAn_mBT3QtWa","met":"SveThAoi46DB","reason":"","type":"pool_left"}');
INSERT INTO public.lobby_log VALUES (41, '{"match":"cab27e0beab0e9f0","spec":{"name":"trapgrid","options":{"size":7}},"players":[{"id":"SveThAoi46DB","name":"Emil","kind":"person"},{"id":"zAn_mBT3QtWa","name":"Dora","kind":"person"}],"clock":{"kind":"fischer","initial":180,"increment":2},"private":false,"delay":0,"is_open":false,"with_help":false,"rated":true,"type":"match_made"}');
INSERT INTO public.lobby_log VALUES (42, '{"challenge":{"type":"challenged","challenge":"f644780538d8cce0","by":{"id":"SveThAoi46DB","name":"Emil","kind":"person"},"to":{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"},"game":{"name":"quoridor","options":{"size":7,"players":2,"walls":8,"max_plies":150,"no_progress":40}},"clock":{"kind":"fischer","initial":600,"increment":0},"seat":0,"expires":1795596763458,"with_help":false,"rated":false},"type":"challenge_sent"}');
INSERT INTO public.lobby_log VALUES (43, '{"player":"SveThAoi46DB","command":"c215","ref":"f644780538d8cce0","type":"answered"}');
INSERT INTO public.lobby_log VALUES (44, '{"closed":{"type":"challenge_closed","challenge":"f644780538d8cce0","how":"accepted","reason":"","match":"23a66aac2e9e0260"},"told":["SveThAoi46DB","QqrgZp2WxJbR"],"type":"challenge_ended"}');
INSERT INTO public.lobby_log VALUES (45, '{"match":"23a66aac2e9e0260","spec":{"name":"quoridor","options":{"size":7,"players":2,"walls":8,"max_plies":150,"no_progress":40}},"players":[{"id":"SveThAoi46DB","name":"Emil","kind":"person"},{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"}],"clock":{"kind":"fischer","initial":600,"increment":0},"private":false,"delay":0,"is_open":false,"with_help":false,"rated":false,"type":"match_made"}');
INSERT INTO public.lobby_log VALUES (46, '{"player":"QqrgZp2WxJbR","command":"c216","ref":"23a66aac2e9e0260","type":"answered"}');
INSERT INTO public.lobby_log VALUES (47, '{"seek":{"id":"816afbbcf5a249eb","by":{"id":"SveThAoi46DB","name":"Emil","kind":"person"},"settings":{"game":{"name":"bamboo","options":{"radius":2}},"clock":{"kind":"none"},"seat":null,"private":false,"minimum":null,"delay":0,"rated":false},"joined":[{"id":"SveThAoi46DB","name":"Emil","kind":"person"}],"seats":2,"since":1795596703557},"asked":{"name":"bamboo","options":{"radius":2}},"type":"seek_posted"}');
INSERT INTO public.lobby_log VALUES (48, '{"player":"SveThAoi46DB","command":"c237","ref":"816afbbcf5a249eb","type":"answered"}');
INSERT INTO public.lobby_log VALUES (49, '{"challenge":{"type":"challenged","challenge":"e1de8a4768a86112","by":{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"},"to":{"id":"SveThAoi46DB","name":"Emil","kind":"person"},"game":{"name":"trapgrid","options":{"size":3}},"clock":{"kind":"none"},"seat":null,"expires":1795596763562,"with_help":false,"rated":false},"type":"challenge_sent"}');
INSERT INTO public.lobby_log VALUES (50, '{"player":"QqrgZp2WxJbR","command":"c238","ref":"e1de8a4768a86112","type":"answered"}');
INSERT INTO public.matches VALUES ('75998e43ab3600a0', 1795596660277, 1795596660680, false);
INSERT INTO public.matches VALUES ('e231da3765f40b56', 1795596660711, 1795596660759, false);
INSERT INTO public.matches VALUES ('7abc62a44cbe1a71', 1795596660811, 1795596660908, false);
INSERT INTO public.matches VALUES ('33d854a7f6e7d900', 1795596660936, 1795596661024, false);
INSERT INTO public.matches VALUES ('8dea0bec21412ecb', 1795596662057, 1795596662097, false);
INSERT INTO public.matches VALUES ('b1a479b8233b2f7d', 1795596682149, 1795596682321, false);
INSERT INTO public.matches VALUES ('cab27e0beab0e9f0', 1795596702372, 1795596702516, false);
INSERT INTO public.matches VALUES ('23a66aac2e9e0260', 1795596703485, NULL, false);
INSERT INTO public.moderation VALUES (1, 1795596703108, 'Emil', '{"player":{"id":"Ovh0Zijg7C3q","name":"Fatima","kind":"person"},"match":null,"reporter":{"id":"SveThAoi46DB","name":"Emil","kind":"person"},"grounds":"Insults","type":"reported"}', '613c6adc0ac26564395cde9fb840bb774de0ae6656c408219091508647f150ef');
INSERT INTO public.moderation VALUES (2, 1795596703136, 'Gil', '{"player":{"id":"SveThAoi46DB","name":"Emil","kind":"person"},"match":null,"reporter":{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"},"grounds":"Stalls","type":"reported"}', '03d5ac17dea42d74144a97e9cf6f8915d4428eb761a1ff292d12922d4cb62fe6');
INSERT INTO public.moderation VALUES (3, 1795596703164, 'Dora', '{"report":1,"grounds":"Banned","type":"report_closed"}', '9e0042f1fd821cdf2fce304853223e8364e0babfea928fda5b9ff4bd589621bb');
INSERT INTO public.moderation VALUES (4, 1795596703231, 'Dora', '{"player":{"id":"QqrgZp2WxJbR","name":"Gil","kind":"person"},"measure":"mute","until":null,"grounds":"Noise","address":"","type":"banned"}', '29ec8034f26bf9a83d80d4161473d17ff6e83679e0fd0a1d0e2043ce902e6341');
INSERT INTO public.moderation VALUES (5, 1795596703315, 'Dora', '{"player":{"id":"SveThAoi46DB","name":"Emil","kind":"person"},"measure":"mute","until":null,"grounds":"Noise","address":"","type":"banned"}', '1ba508a4b9dd5f417cf8e0f3f9253c1b9965042ae7bc720d220ac7d915cb576b');
INSERT INTO public.moderation VALUES (6, 1795596703341, 'Dora', '{"ban":5,"grounds":"A mistake","type":"lifted"}', '3ce5e46dabffe83fa06b46d52a9cc6a6c9bb555273aa0166f426a72d478889c2');
INSERT INTO public.moderation VALUES (7, 1795596703408, 'Dora', '{"player":{"id":"Ovh0Zijg7C3q","name":"Fatima","kind":"person"},"measure":"ban","until":null,"grounds":"Insults","address":"","type":"banned"}', 'd6245ceda6e8f328425d37978527fb1daae80e2af7c1d322c1406eb498ec0b93');
INSERT INTO public.openings VALUES ('9982a38248933c2d84847acf3a9eaf10', '', 'a2', 1, 0, 0);
INSERT INTO public.openings VALUES ('9982a38248933c2d84847acf3a9eaf10', 'a2', 'b1', 0, 1, 0);
INSERT INTO public.openings VALUES ('8e5b8f64b5df4158c9eb31eecfda0492', '', 'a1', 1, 0, 0);
INSERT INTO public.openings VALUES ('8e5b8f64b5df4158c9eb31eecfda0492', 'a1', 'b1', 0, 1, 0);
INSERT INTO public.openings VALUES ('8e5b8f64b5df4158c9eb31eecfda0492', 'a1 b1', '1', 0, 1, 0);
INSERT INTO public.openings VALUES ('81065ae2cdc8cd71e8d902105f0e6111', '', 'a1', 1, 0, 0);
INSERT INTO public.openings VALUES ('81065ae2cdc8cd71e8d902105f0e6111', 'a1', 'a2', 0, 1, 0);
INSERT INTO public.openings VALUES ('e5433a560681d307266669607179a319', '', 'c1', 1, 0, 0);
INSERT INTO public.openings VALUES ('e5433a560681d307266669607179a319', 'c1', 'd6', 0, 1, 0);
INSERT INTO public.openings VALUES ('3efb08b270fcf863e3e95b5bbacde165', '', 'a6', 1, 2, 0);
INSERT INTO public.openings VALUES ('3efb08b270fcf863e3e95b5bbacde165', 'a6', 'f1', 2, 1, 0);
INSERT INTO public.openings VALUES ('3efb08b270fcf863e3e95b5bbacde165', 'a6 f1', 'a5', 1, 2, 0);
INSERT INTO public.openings VALUES ('3efb08b270fcf863e3e95b5bbacde165', 'a6 f1 a5', 'e1', 2, 0, 0);
INSERT INTO public.openings VALUES ('3efb08b270fcf863e3e95b5bbacde165', 'a6 f1 a5 e1', 'a4', 0, 2, 0);
INSERT INTO public.openings VALUES ('3efb08b270fcf863e3e95b5bbacde165', 'a6 f1 a5 e1 a4', 'd1', 2, 0, 0);
INSERT INTO public.openings VALUES ('3efb08b270fcf863e3e95b5bbacde165', 'a6 f1 a5 e1 a4 d1', 'a3', 0, 2, 0);
INSERT INTO public.openings VALUES ('3efb08b270fcf863e3e95b5bbacde165', 'a6 f1 a5 e1 a4 d1 a3', 'c1', 2, 0, 0);
INSERT INTO public.players VALUES ('zAn_mBT3QtWa', 'Dora', 'person', false);
INSERT INTO public.players VALUES ('SveThAoi46DB', 'Emil', 'person', false);
INSERT INTO public.players VALUES ('Ovh0Zijg7C3q', 'Fatima', 'person', false);
INSERT INTO public.players VALUES ('QqrgZp2WxJbR', 'Gil', 'person', false);
INSERT INTO public.rating_changes VALUES ('zAn_mBT3QtWa', 'trapgrid:blitz', 1, '8dea0bec21412ecb', 0, 'person', 1795596662097, 1500, 350, 1662.3108939062977, 290.31896371798047, 0.05999967537233814);
INSERT INTO public.rating_changes VALUES ('SveThAoi46DB', 'trapgrid:blitz', 1, '8dea0bec21412ecb', 1, 'person', 1795596662097, 1500, 350, 1337.6891060937023, 290.31896371798047, 0.05999967537233814);
INSERT INTO public.rating_changes VALUES ('zAn_mBT3QtWa', 'trapgrid:blitz', 2, 'b1a479b8233b2f7d', 0, 'person', 1795596682321, 1662.3108939062977, 290.3189730961368, 1433.0601009339462, 260.4887823926998, 0.06000173569150194);
INSERT INTO public.rating_changes VALUES ('SveThAoi46DB', 'trapgrid:blitz', 2, 'b1a479b8233b2f7d', 1, 'person', 1795596682321, 1337.6891060937023, 290.3189730961368, 1566.9398990660538, 260.4887823926998, 0.06000173569150194);
INSERT INTO public.rating_changes VALUES ('SveThAoi46DB', 'trapgrid:blitz', 3, 'cab27e0beab0e9f0', 0, 'person', 1795596702516, 1566.9398990660538, 260.48879283053594, 1418.257699245095, 228.0687376976161, 0.060002278957014626);
INSERT INTO public.rating_changes VALUES ('zAn_mBT3QtWa', 'trapgrid:blitz', 3, 'cab27e0beab0e9f0', 1, 'person', 1795596702516, 1433.0601009339462, 260.48879283053594, 1581.7423007549053, 228.06873769761611, 0.060002278957014654);
INSERT INTO public.ratings VALUES ('zAn_mBT3QtWa', 'trapgrid:blitz', 'person', 1581.7423007549053, 228.06873769761611, 0.060002278957014654, 3, 1795596702516, 0);
INSERT INTO public.ratings VALUES ('SveThAoi46DB', 'trapgrid:blitz', 'person', 1418.257699245095, 228.0687376976161, 0.060002278957014626, 3, 1795596702516, 0);
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', '59e1a02330eec8e158cd6187ff11df8b66de06671551e6fe53d65e96e1e0f586');
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', '36c852e19848dfc60be4edc439e1e01bf8fc8317bc1cc5940e6ad450c78a481c');
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', 'b976dc3772843bf02051df95bb409aa0b730e244fd78caf34881d7c88372f435');
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', 'fb795b76843a8ce041be8ffcd3dd16403aa017d7b79ab525320bc10c88d93e62');
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', '78c5a365aa4c19294ee36ad7804022b4dfd540d37e29bb9563bca9b73bd28d46');
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', '5f9c3a8def810e5d5228bf90eedda9a0a69c2de4969eeacbe411a383662d2068');
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', '3d40726c7cea1577df209bc78a1cfd46a109c6674a4cc099348eefe95df76388');
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', '8d420813a80731e58c20aea4f479927e2f47b767981adf7bc9cda95c8a8d4dfe');
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', '29524efba85b48ea8ceb558cd637d7b7b241eea05b7f2288378ebbe8c15f691e');
INSERT INTO public.recovery_codes VALUES ('zAn_mBT3QtWa', 'ac856364ca67b3a6e70aa55e5e14bc22fb5273efd52dd888c079a8c7c6a8e834');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', '6bd98f431e1353ba3bf7729823bc8483707bc52abfba51566c5a3c137a4f5e05');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', '8e51448d4312f26a1b1862d2225a6e28516d5a78d84718fd197e634193efdf94');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', '3d88ace03f3144bfb8ec32914abac0663066c5f8a9e94aee4a44084027041b5c');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', 'f8d430a62aa0c5d2bdfc4aab6a175c30135edcd1d2f3e329c31df6b194dec538');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', '802c51558b4f1dae84b1df2f3e3f9fb278547c34e97a681588379f5f4098d8b7');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', '49898f493de4a5fcc961cb867d1b192b701f26a93d16fed778c64e17087d5b32');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', '84f8133797f2704f0b8532579f15e7666f6b3d69cc13609c6b63a2f05b749927');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', 'f3481f088f99d1ed974666d0961b820806db3ed301eff03b1a2bddc804bfa809');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', '9337ef4eb63e0a78067da37a7651444d25aa466347c7df03b3decc7b9c7f22a0');
INSERT INTO public.recovery_codes VALUES ('SveThAoi46DB', '5fd329b159202f5c05d8ac0b101ecec9e97a909126142ac8b55a1111797b2909');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', '7a09e59240114f23e8ed0a7ddb76b946b0b1c0aa75b9bc5c2b4d4218f643d68b');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', 'ab897f4652c13c992c019850cb0bd9db7d3f6e2e17a9178a7e07f8e277890b52');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', '23d8dac27f5274606631da08d09135db89eee1b76e9c0ee4bd5dab0a357e1c91');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', '9750da628f32f699b6ac07e9b3eb8bec648a0c31236e8ec0d328d483d839f121');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', 'abaf9a0c6e7298e682ef9771551943888bbccdcdd15f303fc114fabbfa8460f8');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', 'ae4aabc2fc38f545eac130c7dc922e6f6cc4affd788489df50e793b9aafad138');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', '98e51d413df42e6636bcc61d97a458a3da7f2dee45707059d39fd341d3a05888');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', 'ff384fccbf33a9db42d8aa45333d4e47fe017352ffacb6abc6ade45c13d1a3cc');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', '229723e6eed8d5b96451e4f501253a020d4863517cd5bae37e8486c7da249ca7');
INSERT INTO public.recovery_codes VALUES ('Ovh0Zijg7C3q', '7e8802a5d4afc823622920f2b3771dfde4edbdff348be87708e5fa3feb68c030');
INSERT INTO public.results VALUES ('8dea0bec21412ecb', 5, 1795596662097, 1);
INSERT INTO public.results VALUES ('b1a479b8233b2f7d', 14, 1795596682321, 2);
INSERT INTO public.results VALUES ('cab27e0beab0e9f0', 14, 1795596702516, 3);
INSERT INTO public.seats VALUES ('75998e43ab3600a0', 0, 'zAn_mBT3QtWa');
INSERT INTO public.seats VALUES ('75998e43ab3600a0', 1, 'QqrgZp2WxJbR');
INSERT INTO public.seats VALUES ('e231da3765f40b56', 0, 'zAn_mBT3QtWa');
INSERT INTO public.seats VALUES ('e231da3765f40b56', 1, 'QqrgZp2WxJbR');
INSERT INTO public.seats VALUES ('7abc62a44cbe1a71', 0, 'zAn_mBT3QtWa');
INSERT INTO public.seats VALUES ('7abc62a44cbe1a71', 1, 'QqrgZp2WxJbR');
INSERT INTO public.seats VALUES ('33d854a7f6e7d900', 0, 'zAn_mBT3QtWa');
INSERT INTO public.seats VALUES ('33d854a7f6e7d900', 1, 'QqrgZp2WxJbR');
INSERT INTO public.seats VALUES ('8dea0bec21412ecb', 0, 'zAn_mBT3QtWa');
INSERT INTO public.seats VALUES ('8dea0bec21412ecb', 1, 'SveThAoi46DB');
INSERT INTO public.seats VALUES ('b1a479b8233b2f7d', 0, 'zAn_mBT3QtWa');
INSERT INTO public.seats VALUES ('b1a479b8233b2f7d', 1, 'SveThAoi46DB');
INSERT INTO public.seats VALUES ('cab27e0beab0e9f0', 0, 'SveThAoi46DB');
INSERT INTO public.seats VALUES ('cab27e0beab0e9f0', 1, 'zAn_mBT3QtWa');
INSERT INTO public.seats VALUES ('23a66aac2e9e0260', 0, 'SveThAoi46DB');
INSERT INTO public.seats VALUES ('23a66aac2e9e0260', 1, 'QqrgZp2WxJbR');
INSERT INTO public.secrets VALUES ('seed', '\x5dd90440dd8eb51e9a75603eadb3057f90037b30e254c31f9b669484732799ee');
INSERT INTO public.slots VALUES (0, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (2, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (3, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (4, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (5, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (6, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (7, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (8, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (9, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (10, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (11, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (12, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (13, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (14, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (15, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (16, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (17, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (18, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (19, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (20, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (21, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (22, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (23, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (24, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (25, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (26, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (27, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (28, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (29, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (30, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (31, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (32, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (33, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (34, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (35, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (36, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (37, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (38, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (39, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (40, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (41, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (42, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (43, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (44, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (45, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (46, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (47, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (48, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (49, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (50, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (51, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (52, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (53, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (54, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (55, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (56, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (57, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (58, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (59, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (60, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (61, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (62, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (63, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (64, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (65, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (66, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (67, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (68, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (69, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (70, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (71, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (72, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (73, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (74, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (75, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (76, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (77, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (78, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (79, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (80, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (81, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (82, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (83, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (84, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (85, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (86, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (87, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (88, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (89, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (90, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (91, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (92, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (93, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (94, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (95, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (96, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (97, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (98, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (99, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (100, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (101, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (102, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (103, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (104, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (105, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (106, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (107, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (108, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (109, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (110, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (111, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (112, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (113, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (114, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (115, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (116, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (117, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (118, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (119, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (120, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (121, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (122, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (123, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (124, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (125, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (126, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (127, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (128, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (129, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (130, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (131, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (132, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (133, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (134, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (135, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (136, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (137, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (138, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (139, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (140, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (141, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (142, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (143, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (144, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (145, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (146, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (147, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (148, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (149, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (150, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (151, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (152, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (153, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (154, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (155, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (156, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (157, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (158, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (159, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (160, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (161, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (162, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (163, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (164, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (165, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (166, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (167, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (168, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (169, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (170, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (171, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (172, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (173, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (174, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (175, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (176, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (177, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (178, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (179, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (180, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (181, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (182, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (183, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (184, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (185, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (186, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (187, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (188, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (189, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (190, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (191, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (192, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (193, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (194, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (195, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (196, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (197, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (198, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (199, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (200, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (201, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (202, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (203, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (204, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (205, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (206, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (207, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (208, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (209, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (210, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (211, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (212, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (213, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (214, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (215, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (216, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (217, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (218, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (219, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (220, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (221, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (222, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (223, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (224, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (225, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (226, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (227, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (228, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (229, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (230, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (231, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (232, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (233, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (234, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (235, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (236, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (237, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (238, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (239, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (240, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (241, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (242, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (243, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (244, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (245, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (246, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (247, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (248, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (249, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (250, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (251, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (252, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (253, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (254, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (255, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (256, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (257, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (258, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (259, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (260, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (261, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (262, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (263, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (264, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (265, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (266, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (267, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (268, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (269, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (270, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (271, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (272, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (273, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (274, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (275, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (276, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (277, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (278, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (279, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (280, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (281, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (282, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (283, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (284, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (285, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (286, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (287, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (288, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (289, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (290, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (291, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (292, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (293, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (294, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (295, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (296, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (297, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (298, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (299, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (300, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (301, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (302, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (303, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (304, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (305, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (306, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (307, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (308, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (309, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (310, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (311, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (312, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (313, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (314, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (315, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (316, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (317, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (318, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (319, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (320, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (321, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (322, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (323, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (324, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (325, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (326, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (327, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (328, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (329, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (330, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (331, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (332, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (333, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (334, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (335, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (336, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (337, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (338, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (339, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (340, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (341, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (342, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (343, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (344, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (345, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (346, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (347, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (348, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (349, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (350, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (351, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (352, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (353, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (354, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (355, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (356, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (357, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (358, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (359, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (360, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (361, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (362, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (363, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (364, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (365, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (366, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (367, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (368, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (369, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (370, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (371, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (372, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (373, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (374, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (375, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (376, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (377, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (378, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (379, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (380, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (381, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (382, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (383, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (384, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (385, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (386, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (387, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (388, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (389, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (390, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (391, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (392, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (393, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (394, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (395, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (396, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (397, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (398, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (399, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (400, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (401, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (402, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (403, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (404, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (405, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (406, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (407, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (408, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (409, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (410, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (411, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (412, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (413, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (414, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (415, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (416, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (417, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (418, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (419, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (420, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (421, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (422, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (423, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (424, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (425, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (426, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (427, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (428, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (429, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (430, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (431, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (432, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (433, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (434, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (435, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (436, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (437, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (438, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (439, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (440, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (441, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (442, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (443, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (444, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (445, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (446, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (447, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (448, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (449, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (450, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (451, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (452, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (453, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (454, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (455, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (456, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (457, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (458, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (459, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (460, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (461, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (462, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (463, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (464, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (465, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (466, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (467, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (468, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (469, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (470, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (471, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (472, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (473, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (474, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (475, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (476, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (477, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (478, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (479, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (480, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (481, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (482, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (483, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (484, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (485, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (486, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (487, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (488, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (489, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (490, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (491, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (492, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (493, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (494, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (495, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (496, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (497, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (498, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (499, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (500, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (501, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (502, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (503, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (504, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (505, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (506, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (507, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (508, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (509, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (510, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (511, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (512, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (513, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (514, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (515, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (516, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (517, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (518, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (519, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (520, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (521, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (522, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (523, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (524, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (525, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (526, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (527, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (528, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (529, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (530, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (531, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (532, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (533, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (534, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (535, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (536, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (537, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (538, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (539, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (540, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (541, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (542, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (543, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (544, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (545, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (546, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (547, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (548, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (549, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (550, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (551, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (552, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (553, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (554, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (555, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (556, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (557, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (558, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (559, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (560, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (561, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (562, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (563, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (564, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (565, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (566, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (567, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (568, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (569, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (570, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (571, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (572, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (573, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (574, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (575, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (576, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (577, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (578, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (579, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (580, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (581, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (582, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (583, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (584, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (585, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (586, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (587, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (588, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (589, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (590, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (591, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (592, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (593, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (594, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (595, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (596, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (597, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (598, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (599, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (600, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (601, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (602, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (603, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (604, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (605, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (606, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (607, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (608, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (609, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (610, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (611, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (612, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (613, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (614, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (615, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (616, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (617, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (618, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (619, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (620, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (621, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (622, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (623, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (624, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (625, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (626, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (627, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (628, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (629, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (630, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (631, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (632, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (633, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (634, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (635, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (636, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (637, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (638, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (639, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (640, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (641, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (642, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (643, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (644, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (645, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (646, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (647, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (648, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (649, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (650, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (651, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (652, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (653, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (654, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (655, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (656, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (657, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (658, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (659, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (660, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (661, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (662, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (663, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (664, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (665, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (666, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (667, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (668, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (669, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (670, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (671, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (672, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (673, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (674, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (675, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (676, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (677, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (678, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (679, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (680, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (681, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (682, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (683, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (684, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (685, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (686, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (687, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (688, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (689, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (690, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (691, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (692, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (693, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (694, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (695, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (696, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (697, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (698, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (699, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (700, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (701, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (702, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (703, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (704, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (705, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (706, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (707, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (708, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (709, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (710, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (711, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (712, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (713, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (714, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (715, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (716, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (717, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (718, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (719, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (720, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (721, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (722, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (723, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (724, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (725, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (726, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (727, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (728, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (729, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (730, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (731, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (732, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (733, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (734, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (735, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (736, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (737, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (738, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (739, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (740, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (741, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (742, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (743, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (744, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (745, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (746, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (747, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (748, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (749, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (750, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (751, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (752, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (753, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (754, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (755, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (756, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (757, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (758, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (759, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (760, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (761, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (762, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (763, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (764, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (765, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (766, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (767, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (768, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (769, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (770, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (771, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (772, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (773, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (774, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (775, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (776, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (777, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (778, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (779, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (780, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (781, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (782, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (783, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (784, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (785, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (786, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (787, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (788, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (789, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (790, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (791, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (792, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (793, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (794, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (795, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (796, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (797, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (798, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (799, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (800, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (801, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (802, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (803, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (804, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (805, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (806, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (807, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (808, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (809, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (810, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (811, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (812, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (813, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (814, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (815, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (816, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (817, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (818, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (819, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (820, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (821, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (822, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (823, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (824, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (825, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (826, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (827, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (828, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (829, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (830, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (831, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (832, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (833, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (834, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (835, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (836, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (837, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (838, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (839, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (840, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (841, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (842, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (843, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (844, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (845, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (846, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (847, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (848, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (849, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (850, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (851, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (852, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (853, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (854, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (855, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (856, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (857, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (858, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (859, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (860, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (861, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (862, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (863, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (864, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (865, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (866, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (867, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (868, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (869, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (870, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (871, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (872, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (873, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (874, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (875, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (876, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (877, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (878, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (879, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (880, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (881, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (882, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (883, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (884, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (885, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (886, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (887, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (888, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (889, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (890, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (891, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (892, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (893, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (894, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (895, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (896, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (897, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (898, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (899, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (900, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (901, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (902, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (903, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (904, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (905, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (906, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (907, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (908, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (909, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (910, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (911, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (912, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (913, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (914, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (915, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (916, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (917, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (918, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (919, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (920, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (921, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (922, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (923, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (924, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (925, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (926, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (927, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (928, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (929, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (930, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (931, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (932, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (933, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (934, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (935, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (936, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (937, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (938, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (939, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (940, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (941, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (942, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (943, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (944, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (945, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (946, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (947, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (948, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (949, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (950, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (951, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (952, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (953, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (954, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (955, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (956, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (957, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (958, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (959, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (960, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (961, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (962, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (963, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (964, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (965, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (966, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (967, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (968, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (969, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (970, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (971, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (972, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (973, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (974, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (975, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (976, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (977, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (978, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (979, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (980, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (981, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (982, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (983, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (984, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (985, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (986, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (987, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (988, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (989, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (990, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (991, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (992, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (993, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (994, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (995, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (996, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (997, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (998, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (999, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1000, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1001, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1002, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1003, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1004, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1005, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1006, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1007, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1008, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1009, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1010, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1011, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1012, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1013, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1014, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1015, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1016, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1017, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1018, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1019, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1020, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1021, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1022, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1023, NULL, 0, 0, 0);
INSERT INTO public.slots VALUES (1024, NULL, 0, 0, 0);
INSERT INTO public.tokens VALUES ('1037d43a00402d3556adbd62e38f5bf6b3851d1f47353eecc289080d19018442', 'zAn_mBT3QtWa', '', true, 'play bot read', 1795596659232, 1795596659232, 0);
INSERT INTO public.tokens VALUES ('cfc7325f506278d3654946ead872815c80d3a1928903ea57695aad4f3a9d6892', 'SveThAoi46DB', '', true, 'play bot read', 1795596659243, 1795596659243, 0);
INSERT INTO public.tokens VALUES ('9e119779d6c18d6c12df1385d55bcf345f0e48f2ecf30e678de448dac0d72557', 'Ovh0Zijg7C3q', '', true, 'play bot read', 1795596659250, 1795596659250, 0);
INSERT INTO public.tokens VALUES ('0475a89280adc6f3f3190e664c9e4f0fb232f28b6e83c098e1dc8df3214ee67d', 'QqrgZp2WxJbR', '', true, 'play bot read', 1795596659256, 1795596659256, 0);
INSERT INTO public.tokens VALUES ('bdec51e8560ade5e3e555e1a97c430e8cc6406fb1cd02c000fd59225cde3bcbb', 'SveThAoi46DB', 'a bot', false, 'play read', 1795596660029, 1795596660029, 1827132660029);
INSERT INTO public.tokens VALUES ('2f02d8459602147fdf6b91bef0ddd2a1d91ce7b3de87fe8e25929bb0982cff2e', 'zAn_mBT3QtWa', '', true, 'play bot read', 1795596703032, 1795596703032, 0);
ALTER TABLE ONLY public.account_names
    ADD CONSTRAINT account_names_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (player);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.archive_fill
    ADD CONSTRAINT archive_fill_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.archive_pairs
    ADD CONSTRAINT archive_pairs_pkey PRIMARY KEY (player, opponent, game);
ALTER TABLE ONLY public.archive
    ADD CONSTRAINT archive_pkey PRIMARY KEY (match);
ALTER TABLE ONLY public.archive_players
    ADD CONSTRAINT archive_players_pkey PRIMARY KEY (match, seat);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (match, seq);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.known_addresses
    ADD CONSTRAINT known_addresses_pkey PRIMARY KEY (player, address);
ALTER TABLE ONLY public.lobby_log
    ADD CONSTRAINT lobby_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.matches
    ADD CONSTRAINT matches_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moderation
    ADD CONSTRAINT moderation_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.openings
    ADD CONSTRAINT openings_pkey PRIMARY KEY (variant, line, move);
ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.probes
    ADD CONSTRAINT probes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rating_changes
    ADD CONSTRAINT rating_changes_match UNIQUE (match, seat);
ALTER TABLE ONLY public.rating_changes
    ADD CONSTRAINT rating_changes_pkey PRIMARY KEY (player, pool, games);
ALTER TABLE ONLY public.ratings
    ADD CONSTRAINT ratings_pkey PRIMARY KEY (player, pool);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (player, digest);
ALTER TABLE ONLY public.results
    ADD CONSTRAINT results_number_key UNIQUE (number);
ALTER TABLE ONLY public.results
    ADD CONSTRAINT results_pkey PRIMARY KEY (match);
ALTER TABLE ONLY public.revocations
    ADD CONSTRAINT revocations_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_pkey PRIMARY KEY (match, seat);
ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.slots
    ADD CONSTRAINT slots_pkey PRIMARY KEY (slot);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (digest);
CREATE INDEX account_names_player ON public.account_names USING btree (player);
CREATE INDEX archive_ended ON public.archive USING btree (ended, tie);
CREATE INDEX archive_game_ended ON public.archive USING btree (game, ended, tie);
CREATE INDEX archive_game_plies ON public.archive USING btree (game, plies, tie);
CREATE INDEX archive_players_ended ON public.archive_players USING btree (player, ended, tie);
CREATE INDEX archive_players_plies ON public.archive_players USING btree (player, plies, tie);
CREATE INDEX archive_plies ON public.archive USING btree (plies, tie);
CREATE INDEX matches_ended ON public.matches USING btree (ended);
CREATE INDEX players_name ON public.players USING btree (name);
CREATE INDEX ratings_established ON public.ratings USING btree (pool, kind, rating, player, established_until) WHERE (established_until > 0);
CREATE INDEX results_waiting ON public.results USING btree (ended, match) WHERE (number IS NULL);
CREATE INDEX seats_player ON public.seats USING btree (player);
CREATE INDEX tokens_player ON public.tokens USING btree (player);
ALTER TABLE ONLY public.account_names
    ADD CONSTRAINT account_names_player_fkey FOREIGN KEY (player) REFERENCES public.accounts(player);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_player_fkey FOREIGN KEY (player) REFERENCES public.players(id);
ALTER TABLE ONLY public.known_addresses
    ADD CONSTRAINT known_addresses_player_fkey FOREIGN KEY (player) REFERENCES public.accounts(player);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_player_fkey FOREIGN KEY (player) REFERENCES public.accounts(player);
ALTER TABLE ONLY public.revocations
    ADD CONSTRAINT revocations_player_fkey FOREIGN KEY (player) REFERENCES public.players(id);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_player_fkey FOREIGN KEY (player) REFERENCES public.players(id);
